/**
 * Makes docs.zip: what a coding agent needs to write pipelines, the stubs that tell agents of it, and `manifest.json`.
 * The same sources give the same bytes.
 */
import { zipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pipelineSchema } from './pipelineSchema.mjs';
import { root } from './run.mjs';

const agents = path.join(root, 'docs', 'agents');

/** Where a stub goes, what stands before it there, and whether others write into the same file. */
const stubs = [
  { target: 'AGENTS.md', merge: 'block' },
  { target: 'CLAUDE.md', merge: 'block' },
  { target: 'GEMINI.md', merge: 'block' },
  { target: '.github/copilot-instructions.md', merge: 'block' },
  {
    target: '.cursor/rules/millrace.mdc',
    merge: 'file',
    head: '---\ndescription: Millrace pipelines\nglobs: **/*.pipe,**/*.pipe.json,**/*.pipe.json5\nalwaysApply: false\n---\n\n',
  },
  {
    target: '.windsurf/rules/millrace.md',
    merge: 'file',
    head: '---\ntrigger: model_decision\ndescription: Millrace pipelines\n---\n\n',
  },
];

/** Pages that stand elsewhere in the repository; the Python one comes with the Python client. */
const borrowed = {
  'typescript.md': 'client/typescript/README.md',
  'python.md': 'client/python/README.md',
  'errors.md': 'docs/errors.md',
};

/**
 * @param {string} version of the product; it is no part of the content
 * @returns {Promise<Uint8Array>} the archive
 */
export async function agentDocs(version) {
  const files = await bundledFiles();
  const manifest = describe(files, version);
  const contents = [...files.map(({ path: name, text }) => [name, text]), ['manifest.json', toJson(manifest)]];
  contents.sort(([a], [b]) => (a < b ? -1 : 1));
  const entries = contents.map(([name, text]) => [name, Buffer.from(text)]);
  // The format keeps local times: midnight here is the same bytes everywhere.
  return zipSync(Object.fromEntries(entries), { level: 9, mtime: new Date(1980, 0, 1) });
}

/** @returns {Promise<{ path: string, text: string, target: string, merge: 'file' | 'block' }[]>} in order */
async function bundledFiles() {
  const catalogue = JSON.parse(await readFile(path.join(root, 'pipeline', 'catalog.json'), 'utf8'));
  const own = (await readdir(agents)).filter((name) => name.endsWith('.md'));
  const pages = await Promise.all(
    own.map(async (name) => [name, withLinksInside(await page(path.join(agents, name)))]),
  );
  for (const [name, file] of Object.entries(borrowed)) {
    const text = await page(path.join(root, file)).catch(() => undefined);
    if (text !== undefined) pages.push([name, withoutLinksOutside(text)]);
  }
  pages.push(['components.md', componentReference(catalogue)]);
  const present = new Set(pages.map(([name]) => name));
  const stub = await page(path.join(agents, 'stubs', 'agents.md'));
  const files = [
    ...pages.map(([name, text]) => ({ path: `docs/${name}`, text: withoutMissingPages(text, present) })),
    { path: 'schema/pipeline.schema.json', text: toJson(pipelineSchema(catalogue)) },
  ].map((file) => ({ ...file, target: `.millrace/${file.path}`, merge: 'file' }));
  files.push(
    ...stubs.map(({ target, merge, head = '' }) => ({ path: `stubs/${target}`, text: head + stub, target, merge })),
    {
      path: 'stubs/.env.example',
      text: await page(path.join(agents, 'stubs', 'env.example')),
      target: '.env.example',
      merge: 'block',
    },
  );
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function describe(files, version) {
  const entries = files.map(({ path: name, text, target, merge }) => ({
    path: name,
    sha256: sha256(text),
    size: Buffer.byteLength(text),
    target,
    merge,
  }));
  return {
    format: 1,
    version,
    hash: sha256(entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')),
    files: entries,
  };
}

/** The reference of the providers, from the catalogue. */
export function componentReference({ providers, planned }) {
  const groups = groupByClass(providers);
  const overview = providers.map(
    ({ id, lanes, title }) =>
      `| [\`${id}\`](#${id.toLowerCase()}) | ${cell(title)} | ${cell(flow(lanes).join(', '))} |`,
  );
  const sections = [...groups].flatMap(([, members]) => members.map(section));
  const later = planned.map(({ id, instead }) => `| \`${id}\` | ${cell(instead)} |`);
  return `# Components

The providers of this version. \`a → b\` says: data that comes in on lane \`a\` leaves on lane \`b\`; \`source → b\` brings data in,
\`a → end\` takes it in and passes nothing on. Settings go into \`config\`; where there are profiles, into the section of the profile.

| Provider | What it is | Lanes |
| --- | --- | --- |
${overview.join('\n')}

${sections.join('\n\n')}

## Not in this version

A server of this version refuses to start a pipeline with one of these.

| Provider | Instead |
| --- | --- |
${later.join('\n')}
`;
}

function groupByClass(providers) {
  const groups = new Map();
  for (const provider of providers) {
    const [first] = provider.classType;
    groups.set(first, [...(groups.get(first) ?? []), provider]);
  }
  return groups;
}

function section({ id, title, description, lanes, control, config, profiles = {}, defaultProfile, aliases = [] }) {
  const facts = [
    `Lanes: ${flow(lanes).join(', ') || 'none'}.`,
    ...(control.offers.length > 0 ? [`Can be used as: ${control.offers.join(', ')}.`] : []),
    ...(Object.keys(control.takes).length > 0 ? [`Uses: ${Object.keys(control.takes).join(', ')}.`] : []),
    ...(aliases.length > 0 ? [`Also written: ${aliases.map((name) => `\`${name}\``).join(', ')}.`] : []),
    ...profileFacts(Object.keys(profiles), defaultProfile),
  ];
  const settings = Object.entries(config.properties ?? {}).map(
    ([name, schema]) =>
      `| \`${name}\`${config.required?.includes(name) ? ' (required)' : ''} | ${cell(typeOf(schema))} | ${usual(schema)} | ${cell(schema.description ?? schema.title ?? '')} |`,
  );
  const table = `| Setting | Type | Default | Meaning |\n| --- | --- | --- | --- |\n${settings.join('\n')}`;
  return `## ${id}

${title}. ${description}

${facts.map((fact) => `- ${fact}`).join('\n')}
${settings.length > 0 ? `\n${table}` : '\nNo settings.'}`;
}

function profileFacts(names, defaultProfile) {
  if (names.length === 0 || (names.length === 1 && names[0] === 'default')) return [];
  const list = names.map((name) => `\`${name}\``).join(', ');
  return [`Profiles: ${list}.${defaultProfile === undefined ? '' : ` Default: \`${defaultProfile}\`.`}`];
}

function flow(lanes) {
  return Object.entries(lanes).map(
    ([input, outputs]) => `${input === '_source' ? 'source' : input} → ${outputs.join(' | ') || 'end'}`,
  );
}

function typeOf({ type, enum: values, const: only, anyOf, oneOf, items }) {
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(' | ');
  if (type === 'array' && items !== undefined) return `list of ${typeOf(items)}`;
  return [type].flat().join(' | ');
}

function usual({ default: value }) {
  return value === undefined ? '' : `\`${cell(JSON.stringify(value))}\``;
}

function cell(value) {
  return value.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** The text of a page, with the same line ends on every machine. */
async function page(file) {
  return (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
}

/** In the repository the pages that stand elsewhere are linked where they are; in the bundle all are in one folder. */
function withLinksInside(text) {
  return text.replace(/\[(\w+\.md)\]\([^)]+\)/g, '[$1]($1)');
}

/** Links into the repository lead nowhere in a workspace; their words stay. */
function withoutLinksOutside(text) {
  return text.replace(/\[([^\]]+)\]\((?!https?:|#)[^)]+\)/g, '$1');
}

/** A page that this build does not have is not named. */
function withoutMissingPages(text, present) {
  const names = Object.keys(borrowed).filter((name) => !present.has(name));
  return text
    .split('\n')
    .filter((line) => !names.some((name) => line.startsWith(`| [${name}]`)))
    .join('\n');
}

function sha256(text) {
  return createHash('sha256').update(text).digest('hex');
}

function toJson(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
