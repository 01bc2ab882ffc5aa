import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CompletionItem } from 'vscode-languageserver-types';
import { analyseText } from '../../../pipeline/analysis.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { makeCatalogue, type Definition } from '../../../pipeline/catalogue.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';
import { complete, type CompletionOptions } from './completion.js';
import { PipelineDocument } from './pipelineDocument.js';
import { accept, fixture } from './testing/fixture.js';

const bundled = bundledCatalogue();
const agent: Definition = {
  id: 'agent',
  title: 'Agent',
  description: 'Answers with the help of others.',
  classType: ['agent'],
  capabilities: [],
  lanes: { questions: ['answers'] },
  control: { takes: { llm: { min: 1, max: 1 }, tool: { min: 0 } }, offers: ['tool'] },
  config: {
    type: 'object',
    properties: {
      mood: { type: 'string', enum: ['calm', 'brisk'], default: 'calm', description: 'How it speaks.' },
      apikey: { type: 'string', writeOnly: true },
      rounds: { type: 'integer', minimum: 2 },
      strict: { type: 'boolean', default: true },
      limits: {
        type: 'object',
        properties: { tokens: { type: 'number', default: 100 }, hard: { type: 'boolean' } },
        required: ['tokens'],
      },
      names: { type: 'array', items: { type: 'object', properties: { first: { type: 'string' } } } },
    },
    required: ['apikey'],
  },
  defaultProfile: 'small',
  profiles: { large: { rounds: 9 }, small: { rounds: 3, mood: 'calm' } },
};
const catalogue = makeCatalogue([...bundled.all(), agent]);
const environment = new Map([
  ['MILLRACE_KEY', { value: 'abcdefghij', origin: '.env' }],
  ['SERVICE_URL', { value: 'short', origin: 'environment of the editor' }],
]);

const head = `{ source: 'in', components: [
  { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
  { id: 'read', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] },`;
/** A third component, whose text is given. */
const third = (text: string): string => `${head} ${text} ] }`;
const withAgent = (text: string): string =>
  `{ components: [{ id: 'bot', provider: 'agent', config: {} }, { id: 'in', provider: 'webhook', config: {} }, ${text}] }`;
const config = (text: string): string => third(`{ id: 'x', provider: 'agent', config: ${text} }`);

function offered(marked: string, options?: CompletionOptions): CompletionItem[] {
  const { document, position } = fixture(marked);
  const items = complete(document, position, catalogue, { environment, ...options });
  return items.sort((a, b) => ((a.sortText ?? '') < (b.sortText ?? '') ? -1 : 1));
}

const labels = (marked: string, options?: CompletionOptions): string[] =>
  offered(marked, options).map(({ label }) => label);

/** The text after the item has been accepted, with nothing filled in. */
function accepted(marked: string, label: string): string {
  const { document } = fixture(marked);
  const item = offered(marked).find((each) => each.label === label);
  if (item === undefined) throw new Error(`"${label}" is not offered, but ${labels(marked).join(', ')}`);
  return accept(document, item);
}

/** What is offered, in this order: all of it. */
const all: readonly (readonly [title: string, marked: string, expected: readonly string[]])[] = [
  ['keys of a pipeline', '{ | }', ['name', 'source', 'components', 'description', 'project_id', 'version']],
  ['keys that are not there', '{ source: "a", | }', ['name', 'components', 'description', 'project_id', 'version']],
  [
    'keys inside a wrapper',
    '{ pipeline: { components: [], | } }',
    ['name', 'source', 'description', 'project_id', 'version'],
  ],
  ['no keys beside the wrapper', '{ pipeline: { components: [] }, | }', []],
  [
    'the key that is being written',
    '{ comp| }',
    ['name', 'source', 'components', 'description', 'project_id', 'version'],
  ],
  ['keys of an input link', third('{ id: "x", input: [{ | }] }'), ['from', 'lane']],
  ['the rest of an input link', third('{ id: "x", input: [{ lane: "text", | }] }'), ['from']],
  ['keys of a control link', third('{ id: "x", control: [{ | }] }'), ['from', 'classType']],
  ['nothing in a line comment', '{ // |\n }', []],
  ['nothing in a block comment', '{ /* | */ }', []],
  ['nothing in an open comment', '{ /* |', []],
  ['nothing behind a closed string', `{ components: [{ provider: 'parse'| }] }`, []],
  ['nothing before a string', `{ components: [{ provider: |'parse' }] }`, []],
  ['nothing between a key and its colon', '{ name | : "x" }', []],
  ['nothing before a value that is there', '{ source: | "x" }', []],
  ['nothing in texts for people', '{ name: "|" }', []],
  ['nothing inside an id', third('{ id: "|" }'), []],
  ['nothing in unknown members', third('{ id: "x", ui: { | } }'), []],
  ['nothing behind the pipeline', '{ components: [] } |', []],
  ['nothing in the settings of no provider', third('{ id: "x", config: { | } }'), []],
  ['ids for the source, ways in first', `${head.replace(`'in', comp`, `'|', comp`)} ] }`, ['in', 'read']],
  [
    'the lanes that join',
    third(`{ id: 'x', provider: 'response_text', input: [{ from: 'read', lane: '|' }] }`),
    ['text'],
  ],
  [
    'lanes without quotes',
    third(`{ id: 'x', provider: 'response_text', input: [{ from: 'read', lane: | }] }`),
    ['text'],
  ],
  [
    'lanes of an unknown receiver',
    third(`{ id: 'x', input: [{ from: 'read', lane: '|' }] }`),
    ['text', 'table', 'image', 'video', 'audio'],
  ],
  [
    'lanes before the sender',
    third(`{ id: 'x', provider: 'preprocessor_langchain', input: [{ lane: '|' }] }`),
    ['table', 'text'],
  ],
  [
    'lanes that are not linked yet',
    third(
      `{ id: 'x', provider: 'preprocessor_langchain', input: [{ from: 'read', lane: 'text' }, { from: 'read', lane: '|' }] }`,
    ),
    ['table'],
  ],
  [
    'what is sent where nothing fits',
    third(`{ id: 'x', provider: 'response_answers', input: [{ from: 'read', lane: '|' }] }`),
    ['text', 'table', 'image', 'video', 'audio'],
  ],
  [
    'whole links',
    third(`{ id: 'x', provider: 'prompt', input: [|] }`),
    ['read · text', 'read · table', 'in · text', 'in · questions', '{ from, lane }'],
  ],
  [
    'whole links that are not there',
    third(`{ id: 'x', provider: 'response_text', input: [{ from: 'read', lane: 'text' }, |] }`),
    ['in · text', '{ from, lane }'],
  ],
  [
    'users of a model',
    withAgent(`{ id: 'm', provider: 'llm_ollama', config: {}, control: [{ from: '|' }] }`),
    ['bot', 'in'],
  ],
  [
    'what a model is used as',
    withAgent(`{ id: 'm', provider: 'llm_ollama', control: [{ from: 'bot', classType: '|' }] }`),
    ['llm'],
  ],
  [
    'class types of unknown providers',
    withAgent(`{ id: 'm', provider: 'other', control: [{ from: 'bot', classType: '|' }] }`),
    ['llm', 'tool', 'memory'],
  ],
  [
    'whole control links',
    withAgent(`{ id: 'm', provider: 'llm_ollama', control: [|] }`),
    ['bot · llm', '{ from, classType }'],
  ],
  [
    'settings, required ones first',
    config('{ | }'),
    ['apikey', 'profile', 'limits', 'mood', 'names', 'rounds', 'strict'],
  ],
  [
    'settings that are not written',
    config('{ apikey: "", mood: "calm", | }'),
    ['profile', 'limits', 'names', 'rounds', 'strict'],
  ],
  ['with a profile, its section', config(`{ profile: 'large', | }`), ['large']],
  [
    'settings in the section of a profile',
    config(`{ profile: 'large', large: { | } }`),
    ['apikey', 'limits', 'mood', 'names', 'rounds', 'strict'],
  ],
  ['settings of a nested object', config('{ limits: { | } }'), ['tokens', 'hard']],
  ['settings inside lists', config('{ names: [{ | }] }'), ['first']],
  ['profiles, the default first', config(`{ profile: '|' }`), ['small', 'large']],
  ['profiles without quotes', config('{ profile: | }'), ['small', 'large']],
  ['the values of an enum', config('{ mood: "|" }'), ['calm', 'brisk']],
  ['booleans', config('{ strict: | }'), ['false', 'true']],
  ['booleans of a nested object', config('{ limits: { hard: | } }'), ['false', 'true']],
  ['no booleans in quotes', config('{ strict: "|" }'), []],
  ['defaults', config('{ limits: { tokens: | } }'), ['100']],
  ['values of the profile before defaults', config(`{ profile: 'large', large: { rounds: | } }`), ['9']],
  ['nothing where anything goes', third(`{ id: 'x', provider: 'llm_openai_api', config: { base_url: '|' } }`), []],
  ['variables for secrets', config('{ apikey: "|" }'), ['${MILLRACE_KEY}', '${SERVICE_URL}']],
  ['variables inside ${}', config('{ apikey: "${|}" }'), ['MILLRACE_KEY', 'SERVICE_URL']],
  ['variables behind an open ${', config('{ apikey: "key ${MI|" }'), ['MILLRACE_KEY', 'SERVICE_URL']],
  ['variables in any string', '{ components: [], name: "${|" }', ['MILLRACE_KEY', 'SERVICE_URL']],
  ['no variables behind the brace', config('{ model: "${A}|" }'), []],
];

/** What is offered first. */
const firsts: readonly (readonly [title: string, marked: string, first: string])[] = [
  ['a pipeline in an empty file', '|', 'pipeline'],
  ['a pipeline where a word was begun', 'pipe|', 'pipeline'],
  ['a pipeline below a comment', '// mine\n|', 'pipeline'],
  ['a source in an empty list', '{ components: [|] }', 'chat'],
  ['a source as the first provider', `{ components: [{ id: 'a', provider: '|' }] }`, 'chat'],
  ['a source without quotes', '{ components: [{ id: "a", provider: | }] }', 'chat'],
  ['a component that takes what nobody takes', third('|'), 'anonymize_text'],
  ['a provider that takes what nobody takes', third('{ id: "x", provider: "|" }'), 'anonymize_text'],
  [
    'a provider that takes the lane linked',
    third(`{ id: 'x', provider: '|', input: [{ from: 'read', lane: 'audio' }] }`),
    'response_audio',
  ],
  [
    'a provider that takes what the sender linked sends',
    `{ components: [{ id: 'c', provider: 'chat' }, { provider: '|', input: [{ from: 'c' }] }] }`,
    'agent',
  ],
  ['the id, in a component', third('{ | }'), 'id'],
  ['the component with an open end', third(`{ id: 'x', provider: 'response_text', input: [{ from: '|' }] }`), 'read'],
  [
    'the component that sends the lane',
    third(`{ id: 'x', provider: 'hash', input: [{ from: '|', lane: 'tags' }] }`),
    'in',
  ],
  ['the setting a provider needs', third(`{ id: 'x', provider: 'local-text-output', config: { | } }`), 'parameters'],
  [
    'the setting an object needs',
    third(`{ id: 'x', provider: 'local-text-output', config: { parameters: { | } } }`),
    'storePath',
  ],
];

/** The text after accepting, with nothing filled in. */
const writes: readonly (readonly [title: string, marked: string, label: string, text: string])[] = [
  ['quotes of JSON', '{ "components": [{ "provider": | }] }', 'parse', '{ "components": [{ "provider": "parse" }] }'],
  [
    'quotes of the file',
    `{ components: [{ id: 'a', provider: | }] }`,
    'parse',
    `{ components: [{ id: 'a', provider: 'parse' }] }`,
  ],
  ['between quotes', `{ components: [{ provider: 'pa|' }] }`, 'parse', `{ components: [{ provider: 'parse' }] }`],
  [
    'in place of the whole word',
    `{ components: [{ provider: 'pa|xyz' }] }`,
    'parse',
    `{ components: [{ provider: 'parse' }] }`,
  ],
  ['the missing quote', `{ components: [{ provider: 'pa| }] }`, 'parse', `{ components: [{ provider: 'parse' }] }`],
  ['the missing quote at the end', `{ components: [{ provider: "|`, 'parse', `{ components: [{ provider: "parse"`],
  ['a word without quotes', `{ components: [{ provider: par| }] }`, 'parse', `{ components: [{ provider: 'parse' }] }`],
  ['the space behind a colon', `{ components: [{ provider:| }] }`, 'parse', `{ components: [{ provider: 'parse' }] }`],
  ['a key with its value', '{ "name": "x", | }', 'source', '{ "name": "x", "source": "" }'],
  ['a bare key', '{ name: "x", so| }', 'source', '{ name: "x", source: "" }'],
  ['a quoted key', '{ "name": "x", "so|" }', 'source', '{ "name": "x", "source": "" }'],
  ['a key whose quote is missing', '{ "name": "x", "so| }', 'source', '{ "name": "x", "source": "" }'],
  ['a single-quoted key', `{ 'name': 'x', 'so|' }`, 'source', `{ 'name': 'x', 'source': '' }`],
  ['a key that has its value', '{ name: "x", so|: "y" }', 'source', '{ name: "x", source: "y" }'],
  ['a quoted key that has its value', '{ "so|": "y" }', 'source', '{ "source": "y" }'],
  ['the comma before a key', '{ "name": "x" | }', 'source', '{ "name": "x", "source": "" }'],
  ['the comma before a key on its line', '{\n  "name": "x"\n  |\n}', 'source', '{\n  "name": "x",\n  "source": ""\n}'],
  [
    'the comma behind a comment',
    '{\n  "name": "x" // mine\n  |\n}',
    'source',
    '{\n  "name": "x", // mine\n  "source": ""\n}',
  ],
  ['the comma behind a key', '{\n  |\n  "name": "x"\n}', 'source', '{\n  "source": "",\n  "name": "x"\n}'],
  ['the comma behind a word', '{\n  so|\n  name: "x"\n}', 'source', '{\n  source: "",\n  name: "x"\n}'],
  [
    'no comma that is there',
    '{ "name": "x", |, "version": 1 }',
    'source',
    '{ "name": "x", "source": "", "version": 1 }',
  ],
  [
    'the comma behind a value',
    `{ components: [{\n provider: |\n config: {} }] }`,
    'parse',
    `{ components: [{\n provider: 'parse',\n config: {} }] }`,
  ],
  [
    'the comma behind a string',
    `{ components: [{\n provider: "|"\n config: {} }] }`,
    'parse',
    `{ components: [{\n provider: "parse",\n config: {} }] }`,
  ],
  ['a boolean', config('{ strict: | }'), 'false', config('{ strict: false }')],
  ['a boolean over another', config('{ strict: tr|ue }'), 'false', config('{ strict: false }')],
  ['a number', config('{ limits: { tokens: 1| } }'), '100', config('{ limits: { tokens: 100 } }')],
  ['a list of settings', config('{ names| }'), 'names', config('{ names: [] }')],
  ['a number setting with its default', config('{ rou| }'), 'rounds', config('{ rounds: 3 }')],
  ['a text setting with the value of its profile', config('{ limits| }'), 'limits', config('{ limits: {} }')],
  ['the section of a profile', config(`{ profile: 'large' | }`), 'large', config(`{ profile: 'large', large: {} }`)],
  [
    'a link',
    third(`{ id: 'x', provider: 'response_text', input: [|] }`),
    'read · text',
    third(`{ id: 'x', provider: 'response_text', input: [{ from: 'read', lane: 'text' }] }`),
  ],
  [
    'a second link',
    third(`{ id: 'x', provider: 'prompt', input: [{ from: 'in', lane: 'text' }|] }`),
    'read · text',
    third(`{ id: 'x', provider: 'prompt', input: [{ from: 'in', lane: 'text' }, { from: 'read', lane: 'text' }] }`),
  ],
  [
    'a control link',
    withAgent(`{ id: 'm', provider: 'llm_ollama', control: [|] }`),
    'bot · llm',
    withAgent(`{ id: 'm', provider: 'llm_ollama', control: [{ from: 'bot', classType: 'llm' }] }`),
  ],
  ['the brace of a variable', config('{ apikey: "${|" }'), 'MILLRACE_KEY', config('{ apikey: "${MILLRACE_KEY}" }')],
  ['one brace of a variable', config('{ apikey: "${|}" }'), 'MILLRACE_KEY', config('{ apikey: "${MILLRACE_KEY}" }')],
  [
    'a variable over a part of it',
    config('{ apikey: "a${MI|}b" }'),
    'MILLRACE_KEY',
    config('{ apikey: "a${MILLRACE_KEY}b" }'),
  ],
  [
    'a source as a component',
    '{ "components": [|] }',
    'webhook',
    '{ "components": [{ "id": "in", "provider": "webhook", "config": { "mode": "Source" } }] }',
  ],
  [
    'what a component needs',
    '{ "components": [|] }',
    'local-text-output',
    '{ "components": [{ "id": "local", "provider": "local-text-output", "config": { "parameters": { "storePath": "" } } }] }',
  ],
];

describe('completion', () => {
  it.each(all)('offers %s', (_, marked, expected) => {
    expect(labels(marked)).toEqual(expected);
  });

  it.each(firsts)('offers first %s', (_, marked, first) => {
    expect(labels(marked)[0]).toBe(first);
  });

  it.each(writes)('writes %s', (_, marked, label, text) => {
    expect(accepted(marked, label)).toBe(text);
  });

  it('never proposes a cycle', () => {
    const text = third(
      `{ id: 'x', provider: 'prompt', input: [{ from: '|' }] }, { id: 'y', input: [{ from: 'x', lane: 'questions' }] }`,
    );
    expect(labels(text)).toEqual(['read', 'in']);
  });

  it('names a new component unlike the others and links it to what is open', () => {
    const text = accepted(third(`{ id: 'prompt', provider: 'hash' }, |`), 'prompt');
    expect(text).toContain(`id: 'prompt_2'`);
    expect(text).toContain(`input: [{ from: 'read', lane: 'text' }]`);
  });

  it('explains what it offers', () => {
    for (const marked of [third('|'), third('{ | }'), config('{ | }'), config(`{ profile: '|' }`), '{ | }']) {
      for (const { label, documentation } of offered(marked)) {
        expect(documentation, label).toMatchObject({ kind: 'markdown', value: expect.stringMatching(/./) });
      }
    }
    expect(JSON.stringify(offered(config('{ apikey: "${|}" }')))).toContain('ab•••');
    expect(JSON.stringify(offered(config('{ apikey: "${|}" }')))).not.toMatch(/abc|short/);
  });

  it('answers typed characters only where they ask for a value', () => {
    expect(labels('{ components: [{ provider: | }] }', { trigger: ' ' })).not.toEqual([]);
    expect(labels('{ | }', { trigger: ' ' })).toEqual([]);
    expect(labels('{ | }', { trigger: '{' })).not.toEqual([]);
    expect(labels('{ components: [{|}] }', { trigger: '{' })).toContain('id');
    expect(labels(config('{ apikey: "{|" }'), { trigger: '{' })).toEqual([]);
    expect(labels(config('{ mood: "calm |" }'), { trigger: ' ' })).toEqual([]);
  });

  it('goes on where the value is chosen, and fills in plain text where the editor knows no snippets', () => {
    const [id, provider] = offered(third('{ | }'));
    expect([id?.data, provider?.data]).toEqual([undefined, 'goesOn']);
    for (const item of offered('|', { snippets: false })) {
      expect(item.insertTextFormat).toBeUndefined();
      expect(JSON.stringify(item.textEdit)).not.toMatch(/\$/);
    }
  });

  it('leads from an empty file to a pipeline without problems', () => {
    let text = accepted('|', 'pipeline from webhook').replace(/\n {4}\n/, '\n    |\n');
    for (const provider of ['parse', 'preprocessor_langchain', 'anonymize_text', 'response_documents']) {
      text = accepted(text, provider).replace(/(\}\n)( {2}\])/, '$1    |\n$2');
    }
    const done = text.replace('    |\n', '');
    expect(JSON.parse(done)).toMatchObject({ source: 'in', components: { length: 5 } });
    expect(analyseText(done, { catalogue: bundled })).toEqual([]);
  });
});

const examples = new URL('../../../examples/pipelines/', import.meta.url);
const documents = [
  ...readdirSync(examples).map((name) => readFileSync(new URL(name, examples), 'utf8')),
  third(`{ id: 'x', provider: 'agent', config: { profile: 'large', large: { apikey: '\${MILLRACE_KEY}' } } }`),
];

/** Every item accepted at an offset leaves no more problems of syntax than there were. */
function checkAt(text: string, offset: number): void {
  const document = new PipelineDocument('file:///a.pipe', text);
  const items = complete(document, document.lines.positionAt(offset), catalogue, { environment });
  const known = document.tree.problems.length;
  for (const item of items) {
    const after = accept(document, item);
    const { problems } = parseSyntax(after);
    if (problems.length > known) {
      const shown = `${text.slice(0, offset)}|${text.slice(offset)}`;
      throw new Error(`"${item.label}" breaks\n${shown}\n=>\n${after}\n${JSON.stringify(problems)}`);
    }
  }
}

describe('completion at every offset', () => {
  it.each(documents.map((text, at) => [at, text] as const))(
    'of document %i keeps it as readable as it was',
    (_, text) => {
      for (let offset = 0; offset <= text.length; offset++) checkAt(text, offset);
    },
  );

  it.each(documents.map((text, at) => [at, text] as const))(
    'where document %i ends keeps it as readable',
    (_, text) => {
      for (let end = 0; end <= text.length; end++) checkAt(text.slice(0, end), end);
    },
  );

  it('never fails, wherever the cursor is in whatever text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...documents), fc.nat(), fc.nat(30), fc.nat(), (text, cut, length, at) => {
        const start = cut % text.length;
        const document = new PipelineDocument('file:///a.pipe', text.slice(0, start) + text.slice(start + length));
        const position = document.lines.positionAt(at % (document.text.length + 1));
        expect(Array.isArray(complete(document, position, catalogue))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
