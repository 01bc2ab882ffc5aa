/**
 * Writes client/python/src/millrace/generated: the models, the table of errors, the limits and the command line of the
 * Python client, from the same declarations that the TypeScript client has. `--check` writes nothing and fails when a file is out of date.
 */
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from './run.mjs';

const folder = path.join('client', 'python', 'src', 'millrace', 'generated');

/** The declarations that travel or that users of the client meet, by their files. */
const sources = {
  'protocol/status.ts': ['TaskMetrics', 'TaskTokens', 'ComponentStat', 'SlowDoc', 'Pipeflow', 'TaskStatus'],
  'protocol/results.ts': [
    ...['ResultError', 'PipelineResult', 'UploadResult', 'Diagnostic', 'Resolved', 'ValidationResult'],
  ],
  'protocol/data.ts': ['DocMetadata', 'Doc', 'DocFilter', 'QuestionType', 'Question', 'Answer'],
  'protocol/envelope.ts': ['EventMessage'],
  'protocol/events.ts': ['TraceLevel', 'FlowOp', 'FlowBody', 'TaskSummary'],
  'pipeline/model.ts': ['InputLink', 'ControlLink', 'PipelineComponent', 'Pipeline'],
  'client/typescript/src/connection.ts': ['ConnectResult'],
  'client/typescript/src/probe.ts': ['ServerInfo'],
  'client/typescript/src/tasks.ts': ['StartInfo', 'TaskListing'],
  'client/typescript/src/files.ts': ['UploadProgress'],
  'client/typescript/src/services.ts': ['ServiceDefinition', 'ServiceCatalogue'],
  'client/typescript/src/deployments.ts': ['Deployment'],
  'client/typescript/src/store.ts': ['StoreEntry', 'StoreStat'],
  'client/typescript/src/monitors.ts': ['MonitorType'],
};

/** In Python these names belong to the classes that build a question and read an answer. */
const renamed = { Question: 'QuestionData', Answer: 'AnswerData' };

/** Keys that the index signature stands for and that pipelines usually return; one list per lane. */
const usualKeys = {
  PipelineResult: {
    text: 'list[str]',
    answers: 'list[Any]',
    documents: 'list[Doc]',
    questions: 'list[Any]',
    table: 'list[str]',
  },
};

/** Counts and ids are whole numbers; every other number is measured. TypeScript has one type for both. */
const whole =
  /(Count|Size|^size|^bytes_sent|_size|Seq|seq|seqNo|^state|exitCode|calls|totalPipes|^line|chunkId|tableId|permissionId|^id|limit|offset|ChunkId|permissions|chunkIds|tableIds|followUpQuestions|^tokens|^path|^version)$/;

const parsed = Object.fromEntries(
  await Promise.all(
    [...Object.keys(sources)].map(async (file) => {
      const text = await readFile(path.join(root, file), 'utf8');
      return [file, ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true)];
    }),
  ),
);

const known = new Set(Object.values(sources).flat());
const generatedBy = (file) => `Generated from ${file} by \`node scripts/pythonModels.mjs\`. Do not edit.`;

const wanted = {
  'models.py': models(),
  'table.py': await errors(),
  'limits.py': await limits(),
  'commands.py': await commands(),
  '__init__.py': '"""What the Python client shares with the TypeScript one, generated from the same declarations."""\n',
};
let stale = false;
await mkdir(path.join(root, folder), { recursive: true });
for (const [name, text] of Object.entries(wanted)) {
  const file = path.join(root, folder, name);
  const found = await readFile(file, 'utf8').catch(() => '');
  if (found.replaceAll('\r\n', '\n') === text) continue;
  stale = true;
  if (!process.argv.includes('--check')) await writeFile(file, text);
  process.stdout.write(
    `${path.join(folder, name)} ${process.argv.includes('--check') ? 'is out of date' : 'written'}\n`,
  );
}
if (!stale) process.stdout.write('The generated files of the Python client are up to date.\n');
else if (process.argv.includes('--check')) {
  process.stderr.write('Run `node scripts/pythonModels.mjs` and commit what it writes.\n');
  process.exitCode = 1;
}

function models() {
  const blocks = [];
  const names = [];
  for (const [file, wantedNames] of Object.entries(sources)) {
    const source = parsed[file];
    for (const name of wantedNames) {
      const node = source.statements.find(
        (each) => (ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each)) && each.name.text === name,
      );
      if (node === undefined) throw new Error(`${file} has no ${name}`);
      names.push(renamed[name] ?? name);
      blocks.push(ts.isInterfaceDeclaration(node) ? typedDict(node) : alias(node));
    }
  }
  const all = [...names, 'TaskState'].sort().map((name) => `    '${name}',\n`);
  return `"""The shapes of what travels and of what the client returns.

${generatedBy('protocol/, pipeline/ and client/typescript/')}
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

__all__ = [
${all.join('')}]


class TaskState(IntEnum):
    """Task states of the specification; the number travels."""

${taskStates()}

${blocks.filter((block) => block.startsWith('class')).join('\n\n')}

${blocks.filter((block) => !block.startsWith('class')).join('')}`;
}

function taskStates() {
  const [, body] = /TaskState = \{([^}]*)\}/.exec(parsed['protocol/status.ts'].text);
  return [...body.matchAll(/(\w+): (\d+)/g)].map(([, name, value]) => `    ${name} = ${value}\n`).join('');
}

function typedDict(node) {
  const name = renamed[node.name.text] ?? node.name.text;
  const members = node.members.filter(ts.isPropertySignature);
  const extra = Object.entries(usualKeys[name] ?? {});
  const open = node.members.some(ts.isIndexSignatureDeclaration);
  const fields = members.map((member) => ({
    name: member.name.text,
    doc: docOf(member),
    type: optional(member, pythonType(member.type, member.name.text)),
  }));
  for (const [key, type] of extra) fields.push({ name: key, doc: '', type: `NotRequired[${type}]` });
  const doc = docOf(node) || words(node.name.text);
  const note = open ? ' More keys may be there.' : '';
  if (fields.some((field) => field.name === 'from')) {
    const entries = fields.map((field) => `        '${field.name}': '${field.type}',\n`).join('');
    return `# ${doc}\n${name} = TypedDict(\n    '${name}',\n    {\n${entries}    },\n)\n`;
  }
  const lines = fields.map((field) => `    ${field.name}: ${field.type}\n${field.doc ? docLine(field.doc) : ''}`);
  return `class ${name}(TypedDict):\n${docLine(doc + note)}\n${lines.join('')}`;
}

function optional(member, type) {
  return member.questionToken === undefined ? type : `NotRequired[${type}]`;
}

function alias(node) {
  const name = renamed[node.name.text] ?? node.name.text;
  return `${name} = ${wrapped(pythonType(node.type, node.name.text), name)}\n`;
}

function wrapped(type, name) {
  const one = `${name} = ${type}`;
  if (one.length <= 110 || !type.startsWith('Literal[')) return type;
  return `Literal[\n    ${type.slice('Literal['.length, -1)}\n]`;
}

/** The Python type of a TypeScript type node; \`name\` tells counts from measures. */
function pythonType(node, name) {
  switch (node.kind) {
    case ts.SyntaxKind.StringKeyword:
      return 'str';
    case ts.SyntaxKind.BooleanKeyword:
      return 'bool';
    case ts.SyntaxKind.NumberKeyword:
      return whole.test(name) ? 'int' : 'float';
    case ts.SyntaxKind.UnknownKeyword:
      return 'Any';
    case ts.SyntaxKind.ObjectKeyword:
      return 'dict[str, Any]';
    case ts.SyntaxKind.UndefinedKeyword:
      return 'None';
    default:
  }
  if (ts.isArrayTypeNode(node)) return `list[${pythonType(node.elementType, name)}]`;
  if (ts.isParenthesizedTypeNode(node)) return pythonType(node.type, name);
  if (ts.isTypeOperatorNode(node)) return pythonType(node.type, name);
  if (ts.isLiteralTypeNode(node)) return literal(node.literal);
  if (ts.isTypeLiteralNode(node)) return 'dict[str, Any]';
  if (ts.isUnionTypeNode(node)) return union(node.types, name);
  if (ts.isTypeReferenceNode(node)) return reference(node, name);
  throw new Error(`No Python type for ${ts.SyntaxKind[node.kind]}`);
}

function literal(node) {
  if (node.kind === ts.SyntaxKind.NullKeyword) return 'None';
  if (ts.isStringLiteral(node)) return `Literal['${node.text}']`;
  throw new Error(`No Python literal for ${ts.SyntaxKind[node.kind]}`);
}

function union(types, name) {
  const parts = types.map((type) => pythonType(type, name));
  const literals = parts.filter((part) => part.startsWith('Literal[')).map((part) => part.slice(8, -1));
  const rest = parts.filter((part) => !part.startsWith('Literal['));
  const all = [...(literals.length > 0 ? [`Literal[${literals.join(', ')}]`] : []), ...new Set(rest)];
  if (all.includes('Any') && !all.includes('None')) return 'Any';
  return all.join(' | ');
}

function reference(node, name) {
  const target = node.typeName.text;
  const args = (node.typeArguments ?? []).map((type) => pythonType(type, name));
  if (target === 'Record') return `dict[${args.join(', ')}]`;
  if (target === 'Readonly' || target === 'Partial') return args[0];
  if (target === 'ReadonlyArray' || target === 'Array') return `list[${args[0]}]`;
  if (known.has(target)) return renamed[target] ?? target;
  if (target === 'TaskState') return 'int';
  throw new Error(`No Python type for ${ts.SyntaxKind[node.kind]}`);
}

function docOf(node) {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => (typeof doc.comment === 'string' ? doc.comment : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A docstring of one level of indentation, in lines that the formatter leaves alone. */
function docLine(text) {
  const quoted = text.endsWith('"') ? `${text}.` : text;
  if (quoted.length <= 108) return `    """${quoted}"""\n`;
  const lines = [''];
  for (const word of quoted.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + word.length > 108) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return `    """${lines.join('\n    ')}\n    """\n`;
}

/** `TaskMetrics` as `Task metrics.` */
function words(name) {
  const text = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

async function errors() {
  const { errorTable } = await load('protocol/errors.ts');
  const entries = Object.entries(errorTable).map(
    ([code, { http, message, hint }]) =>
      `    '${code}': ErrorEntry(\n        ${http},\n        ${string(message)},\n        ${string(hint)},\n    ),\n`,
  );
  const codes = Object.keys(errorTable).map((code) => `    '${code}',\n`);
  return `"""The one table of error codes.

${generatedBy('protocol/errors.ts')}
"""

from __future__ import annotations

from typing import Literal, NamedTuple

ErrorCode = Literal[
${codes.join('')}]


class ErrorEntry(NamedTuple):
    """What the table says of a code: the status of the HTTP door, the usual message and what to do."""

    http: int
    message: str
    hint: str


ERROR_TABLE: dict[ErrorCode, ErrorEntry] = {
${entries.join('')}}
`;
}

async function limits() {
  const { limits: all, defaultPort, socketPath, questionMimeType, defaultMimeType } = await load('protocol/limits.ts');
  const { commandPrefix } = await load('protocol/dialect.ts');
  const { uploadEvent, eventBits, eventMaskNames } = await load('protocol/events.ts');
  const { defaultFilter } = await load('protocol/data.ts');
  const { variablePrefixes } = await load('pipeline/environment.ts');
  const eventTypes = Object.entries(eventBits).flatMap(([name, bit]) =>
    eventMaskNames(bit).map((type) => `    '${name}': '${type}',\n`),
  );
  const wantedLimits = { messageBytes: 1, headerBytes: 1, jsonDepth: 1, storeReadBytes: 1 };
  const lines = Object.keys(wantedLimits).map((name) => `${constant(name)} = ${all[name]}\n`);
  const filter = Object.entries(defaultFilter()).map(([key, value]) => `    '${key}': ${pythonValue(value)},\n`);
  return `"""Numbers and names that both sides of the wire agree on.

${generatedBy('protocol/ and pipeline/environment.ts')}
"""

from __future__ import annotations

from typing import Any, Literal

Dialect = Literal['spec', 'peer']

${lines.join('')}DEFAULT_PORT = ${defaultPort}
SOCKET_PATH = '${socketPath}'
QUESTION_MIME_TYPE = '${questionMimeType}'
DEFAULT_MIME_TYPE = '${defaultMimeType}'
UPLOAD_EVENT = '${uploadEvent}'
COMMAND_PREFIX: dict[Dialect, str] = {'spec': '${commandPrefix.spec}', 'peer': '${commandPrefix.peer}'}
VARIABLE_PREFIXES = (${variablePrefixes.map((prefix) => `'${prefix}'`).join(', ')})
# The subscription that delivers each event; those without one come to every subscriber.
EVENT_TYPES = {
${eventTypes.join('')}}
DEFAULT_FILTER: dict[str, Any] = {
${filter.join('')}}
`;
}

function constant(name) {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
}

function pythonValue(value) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}

/** A Python string as the formatter writes it: single quotes unless they would need escapes. */
function string(text) {
  const plain = text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return plain.includes("'") ? `"${plain.replaceAll('"', '\\"')}"` : `'${plain}'`;
}

async function commands() {
  const program = await loadProgram();
  return `"""The command line, as the TypeScript command has it.

${generatedBy('client/cli')}
"""

from __future__ import annotations

from typing import NamedTuple


class Whole(NamedTuple):
    """The whole numbers that an option takes, and what is said of everything else."""

    least: int
    most: int | None
    refusal: str


class OptionSpec(NamedTuple):
    """An option: \`whole\` for one that takes numbers, \`env\` names the variable that stands in for it."""

    flags: str
    description: str
    choices: tuple[str, ...] = ()
    default: str | int | None = None
    whole: Whole | None = None
    env: str | None = None
    mandatory: bool = False


class ArgumentSpec(NamedTuple):
    """An operand."""

    name: str
    required: bool
    variadic: bool
    description: str = ''
    choices: tuple[str, ...] = ()


class CommandSpec(NamedTuple):
    """A command; \`after\` is what its help ends with."""

    name: str
    description: str
    after: str
    arguments: tuple[ArgumentSpec, ...]
    options: tuple[OptionSpec, ...]
    commands: tuple[CommandSpec, ...]


# fmt: off
PROGRAM = ${commandSpec(program, 0)}
`;
}

function commandSpec(command, depth) {
  const pad = '    '.repeat(depth);
  const lines = (items) =>
    items.length === 0 ? '()' : `(\n${items.map((item) => `${pad}        ${item},\n`).join('')}${pad}    )`;
  const parts = [
    string(command.name()),
    string(command.description()),
    string(afterHelp(command)),
    lines(command.registeredArguments.map(argumentSpec)),
    lines(command.options.map(optionSpec)),
    command.commands.length === 0
      ? '()'
      : `(\n${command.commands.map((child) => `${pad}        ${commandSpec(child, depth + 2)},\n`).join('')}${pad}    )`,
  ];
  return `CommandSpec(\n${parts.map((part) => `${pad}    ${part},\n`).join('')}${pad})`;
}

function argumentSpec(argument) {
  const { required, variadic, description, argChoices } = argument;
  const rest = argChoices === undefined ? [] : [tuple(argChoices.map(string))];
  const parts = [string(argument.name()), required, variadic, string(description), ...rest];
  return `ArgumentSpec(${parts.map((part) => (typeof part === 'boolean' ? pythonValue(part) : part)).join(', ')})`;
}

function optionSpec(option) {
  const [, env] = /\(env: (\w+)\)$/.exec(option.description) ?? [];
  const named = {
    choices: option.argChoices && tuple(option.argChoices.map(string)),
    default: option.defaultValue !== undefined && option.required ? defaultOf(option.defaultValue) : undefined,
    whole: wholeOf(option),
    env: env && string(env),
    mandatory: option.mandatory ? 'True' : undefined,
  };
  const rest = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return `OptionSpec(${[string(option.flags), string(option.description), ...rest].join(', ')})`;
}

function defaultOf(value) {
  return JSON.stringify(value).replaceAll('"', "'");
}

/** The whole numbers an option takes, found by asking it; undefined for one that takes something else. */
function wholeOf(option) {
  const takesWords = option.argChoices !== undefined || refusalOf(option, 'a word') === undefined;
  if (takesWords) return undefined;
  const refuses = (value) => refusalOf(option, value) !== undefined;
  const least = [0, 1].find((value) => !refuses(value));
  const most = Array.from({ length: 1000 }, (_, at) => least + at).find((value) => refuses(value + 1));
  return `Whole(${least}, ${most ?? 'None'}, ${string(refusalOf(option, least - 1))})`;
}

/** What an option says of a number that it does not take. */
function refusalOf(option, value) {
  try {
    option.parseArg?.(String(value));
    return undefined;
  } catch (refusal) {
    return refusal.message;
  }
}

/** What is shown behind the help itself. */
function afterHelp(command) {
  let text = '';
  command.configureOutput({ writeOut: (piece) => (text += piece) });
  command.outputHelp();
  return text.slice(command.helpInformation().length);
}

function tuple(parts) {
  return parts.length === 1 ? `(${parts[0]},)` : `(${parts.join(', ')})`;
}

/** The command tree, built as on a machine without any variable set. */
async function loadProgram() {
  const file = path.join(root, '.cache', `pythonModels-${process.pid}.mjs`);
  await mkdir(path.dirname(file), { recursive: true });
  await build({
    entryPoints: [path.join(root, 'client', 'cli', 'program.ts')],
    bundle: true,
    outfile: file,
    platform: 'node',
    format: 'esm',
    target: 'node20.18',
    packages: 'external',
    logLevel: 'error',
  });
  try {
    const { buildProgram } = await import(pathToFileURL(file).href);
    const nowhere = { write: () => true, columns: 80 };
    return buildProgram({ io: { env: {}, stdout: nowhere, stderr: nowhere }, bind: () => undefined });
  } finally {
    await rm(file, { force: true });
  }
}

async function load(file) {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, file)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'node20.18',
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
