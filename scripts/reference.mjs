/**
 * Writes the pages of docs/ that say what the sources say: errors, command lines, settings, problems, providers.
 * `--check` writes nothing and fails when a page is not what the sources say.
 */
import { build } from 'esbuild';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { componentReference } from './agentDocs.mjs';
import { root } from './run.mjs';

const check = process.argv.includes('--check');
const sources = await load();
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const catalogue = JSON.parse(await readFile(path.join(root, 'pipeline', 'catalog.json'), 'utf8'));
const pages = {
  'docs/errors.md': errors(),
  'docs/commandLine.md': commandLine(),
  'docs/settings.md': settings(),
  'docs/problems/README.md': problems(),
  'docs/providers.md': providers(),
};

for (const [name, text] of Object.entries(pages)) {
  const file = path.join(root, name);
  const wanted = await format(text, { ...(await resolveConfig(file)), parser: 'markdown' });
  const found = await readFile(file, 'utf8').catch(() => '');
  if (found.replaceAll('\r\n', '\n') === wanted) {
    process.stdout.write(`${name} is up to date.\n`);
  } else if (check) {
    process.stderr.write(`${name} is out of date: run \`node scripts/reference.mjs\` and commit it.\n`);
    process.exitCode = 1;
  } else {
    await writeFile(file, wanted);
    process.stdout.write(`Wrote ${name}.\n`);
  }
}

function errors() {
  const rows = Object.entries(sources.errorTable).map(
    ([code, { http, message, hint }]) => `| \`${code}\` | ${http} | ${cell(message)} | ${cell(hint)} |`,
  );
  return `# Errors

Every failure has a code of this table: in \`code\` of a refused answer on the socket, in \`error.code\` over HTTP, in
\`code\` of the errors that clients throw. Codes are permanent: decide on the code, show the message, and the hint says
what to do. The message of one case is often more exact than the usual one below.

${generatedFrom('protocol/errors.ts')}

| Code | HTTP | Usual message | What to do |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function problems() {
  const entries = Object.entries(sources.rules);
  const table = (isWanted) => `| Code | What | Severity |
| --- | --- | --- |
${entries
  .filter(([code, rule]) => isWanted(code, rule))
  .map(([code, { title, severity }]) => `| [${code}](${code}.md) | ${cell(title)} | ${severity} |`)
  .join('\n')}`;
  const isSyntax = (code) => code.startsWith('syntax_');
  return `# Problems in pipelines

What the editor and \`millrace lint\` find. Each code has a page with an example and its mend. Codes are permanent.

**Errors** are what the parser and \`validate\` say: with one of them a pipeline does not start. The rest is **advice**. It never
stops anything, comes also beside errors, and can be changed:

- for everybody who opens the folder, with the setting \`millrace.diagnostics.severity\`, for example \`{ "unreachable": "off" }\`;
- on the command line, with \`millrace lint --rule unreachable=off\`; \`--severity\` says from where on the command fails;
- in the file, with a comment that names one or more codes, and a reason behind \`--\` if there is one:

\`\`\`json5
// millrace-ignore-file no_response -- a demonstration
{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    // millrace-ignore-next-line unreachable, config_key_unknown
    { id: 'later', provider: 'hash', config: { some: 1 } },
    { id: 'last', provider: 'hash', config: {} }, // millrace-ignore-line unreachable
  ],
}
\`\`\`

No comment hides an error (\`suppression_refused\`), and one that hides nothing is reported (\`suppression_unused\`).

${generatedFrom('pipeline/rules.ts')}

## Advice

${table((code, { severity }) => severity !== 'error')}

## What \`validate\` refuses

${table((code, { severity }) => severity === 'error' && !isSyntax(code))}

## Text that is no JSON5

${table(isSyntax)}
`;
}

/** The editor leads to the sections of this page. */
function providers() {
  return componentReference(catalogue).replace(/^# .*\n/, `# Providers\n\n${generatedFrom('pipeline/catalog.json')}\n`);
}

function commandLine() {
  const { millrace, engine, exitCodeHelp } = sources;
  const exitCodes = exitCodeHelp
    .trim()
    .replace('\n', '\n\n')
    .replaceAll(/^ +(\d+) +(.*)$/gm, '- `$1` $2');
  return `# Command line

Two commands: \`millrace\` works with a server, \`millrace-engine\` is one. Both tell the same with \`--help\`, and every command of
theirs has examples in its own.

${generatedFrom('client/cli` and `engine/options.ts')}

## millrace

${sentence(millrace.description())}

${optionTable(millrace)}

${exitCodes}

${describe(millrace, 'millrace')}

## millrace-engine

${sentence(engine.description())}

${describe(engine, 'millrace-engine')}
`;
}

/** A section for each command, in the order of the help. */
function describe(program, trail) {
  const sections = program.commands.map((command) => {
    const name = `${trail} ${command.name()}`;
    if (command.commands.length > 0) {
      return `### ${name}\n\n${sentence(command.description())}\n${examples(command)}\n\n${describe(command, name)}`;
    }
    const args = command.registeredArguments.map((argument) => {
      const word = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? ` <${word}>` : ` [${word}]`;
    });
    return `### ${name}

\`\`\`text
${name}${args.join('')}${command.options.length > 0 ? ' [options]' : ''}
\`\`\`

${sentence(command.description())}

${optionTable(command)}${examples(command)}`;
  });
  return sections.join('\n\n');
}

function optionTable({ options }) {
  const visible = options.filter(({ hidden }) => !hidden);
  if (visible.length === 0) return '';
  const rows = visible.map(({ flags, description, defaultValue, argChoices }) => {
    const choices = argChoices === undefined ? '' : `: ${argChoices.map((each) => `\`${each}\``).join(', ')}`;
    const plain = ['string', 'number'].includes(typeof defaultValue);
    const usual = plain && !description.includes('unless given') ? `; \`${defaultValue}\` unless given` : '';
    return `| \`${cell(flags)}\` | ${cell(description)}${choices}${usual} |`;
  });
  return `| Option | Meaning |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** Commander keeps what stands behind the options as listeners; printing the help is its public way to it. */
function examples(command) {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 500 });
  command.outputHelp();
  const [, lines] = /\nExamples:\n([\s\S]*)$/.exec(help) ?? [];
  if (lines === undefined) return '';
  const stripped = lines
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().replace(/^\$ /, ''));
  return `\n\`\`\`sh\n${stripped.join('\n')}\n\`\`\``;
}

function settings() {
  const { commands, configuration, debuggers, taskDefinitions } = manifest.contributes;
  const groups = [configuration].flat().map(({ title, properties }) => {
    const rows = Object.entries(properties).map(
      ([name, schema]) => `| \`${name}\` | ${typeOf(schema)} | ${usual(schema)} | ${explain(schema)} |`,
    );
    return `### ${title}\n\n| Setting | Type | Default | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
  });
  const [{ configurationAttributes }] = debuggers;
  const attributes = Object.entries(configurationAttributes).map(([request, { properties, required = [] }]) => {
    const rows = Object.entries(properties).map(([name, schema]) => {
      const must = required.includes(name) ? ' (required)' : '';
      return `| \`${name}\`${must} | ${typeOf(schema)} | ${usual(schema)} | ${explain(schema)} |`;
    });
    return `### \`"request": "${request}"\`\n\n| Attribute | Type | Default | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
  });
  const palette = commands.map(({ command, title, category }) => `| ${category}: ${cell(title)} | \`${command}\` |`);
  const tasks = taskDefinitions.flatMap(({ type, properties }) =>
    Object.entries(properties).map(([name, schema]) => `| \`${type}\` | \`${name}\` | ${explain(schema)} |`),
  );
  return `# The editor: settings, commands, launch.json

${generatedFrom('package.json')}

## Settings

${groups.join('\n\n')}

## Debug configurations

\`"type": "millrace"\` in \`.vscode/launch.json\`. F5 on a pipeline needs no configuration at all.

${attributes.join('\n\n')}

## Tasks

In \`.vscode/tasks.json\`:

| Type | Property | Meaning |
| --- | --- | --- |
${tasks.join('\n')}

## Commands

| Command | Id, for key bindings |
| --- | --- |
${palette.join('\n')}
`;
}

function typeOf({ type, enum: values, oneOf, anyOf }) {
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ');
  const choices = oneOf ?? anyOf;
  if (choices !== undefined) return choices.map(typeOf).join(' or ');
  return [type].flat().join(' or ');
}

function usual({ default: value }) {
  if (value === undefined || value === '') return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `\`${cell(text)}\``;
}

/** Settings refer to each other as \`#name#\`, which only the editor shows as a link. */
function explain({ markdownDescription, description = '' }) {
  return cell((markdownDescription ?? description).replaceAll(/`#([\w.]+)#`/g, '`$1`').replaceAll('\n', ' '));
}

function sentence(text) {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return full.endsWith('.') ? full : `${full}.`;
}

function cell(text) {
  return text.replaceAll('|', '\\|');
}

function generatedFrom(source) {
  return `This page is generated from \`${source}\` by \`node scripts/reference.mjs\`.`;
}

/** Bundles what the pages are made of; the bundle lies in the repository, where it finds its packages. */
async function load() {
  const file = path.join(root, '.cache', `reference-${process.pid}.mjs`);
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await build({
      stdin: {
        contents: `
          import { buildProgram } from './client/cli/program.ts';
          import { Runner } from './client/cli/run.ts';
          import { engineProgram } from './engine/options.ts';
          export { exitCodeHelp } from './client/cli/exitCodes.ts';
          export { rules } from './pipeline/rules.ts';
          export { errorTable } from './protocol/errors.ts';
          const { stdin, stdout, stderr } = process;
          const io = { stdin, stdout, stderr, env: {}, signal: new AbortController().signal };
          export const millrace = buildProgram(new Runner(io));
          export const engine = engineProgram('', async () => undefined);`,
        resolveDir: root,
        loader: 'ts',
      },
      outfile: file,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.18',
      packages: 'external',
    });
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(file, { force: true });
  }
}
