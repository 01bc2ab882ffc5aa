import { describe, expect, it } from 'vitest';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { parsePipelineText } from '../../../pipeline/document.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';
import { hover } from './hover.js';
import { renameInLaunchFile } from './launchFile.js';
import { PipelineDocument } from './pipelineDocument.js';
import { resolvedPipeline } from './resolvedPipeline.js';
import { applyEdits, fixture, textOf } from './testing/fixture.js';

const catalogue = bundledCatalogue();
const environment = new Map([['MILLRACE_KEY', { value: 'abcdefghij', origin: '.env' }]]);
const text = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'read', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] },
    {
      id: 'mask',
      provider: 'anonymize_text',
      config: { profile: 'glinerSmall', glinerSmall: { anonymizeChar: '*' } },
      input: [{ from: 'read', lane: 'text' }],
    },
    { id: 'ask', provider: 'prompt', config: { grounding: true }, input: [{ from: 'mask', lane: 'text' }] },
    {
      id: 'model',
      provider: 'llm_openai_api',
      config: { apikey: '\${MILLRACE_KEY}', model: '\${MILLRACE_OTHER}', base_url: 'http://localhost' },
      input: [{ from: 'ask', lane: 'questions' }],
      control: [{ from: 'agent', classType: 'llm' }],
    },
    { id: 'old', provider: 'agent_crewai', config: {} },
    { id: 'out', provider: 'response_answers', config: {}, input: [{ from: 'model', lane: 'answers' }] },
  ],
}
`;

/** What is shown where \`|\` stands in a piece of the text, and the piece that it is about. */
function shown(piece: string): { value: string; about: string } {
  const plain = piece.replace('|', '');
  if (!text.includes(plain)) throw new Error(`"${plain}" is not in the text`);
  const { document, position } = fixture(text.replace(plain, piece));
  const found = hover(document, position, catalogue, { environment });
  const contents = found?.contents as { value?: string } | undefined;
  return { value: contents?.value ?? '', about: found?.range === undefined ? '' : textOf(document, found.range) };
}

const cases: readonly (readonly [title: string, piece: string, about: string, expected: readonly string[]])[] = [
  ['a provider', "provider: 'par|se'", "'parse'", ['**Parser**', '| `tags` |', '`text`']],
  ['a provider that does not run', "provider: 'agent_|crewai'", "'agent_crewai'", ['cannot run']],
  [
    'a component at its id',
    "id: '|mask'",
    "'mask'",
    ['**mask** · Anonymize · `anonymize_text`', 'From `read` (text)', 'To `ask` (text)'],
  ],
  ['a component at a link', "from: 're|ad'", "'read'", ['**read** · Parser', 'Lanes: tags → text']],
  ['a component at the source', "source: 'i|n'", "'in'", ['**in** · Webhook']],
  ['who uses a component', "id: 'mod|el'", "'model'", ['Used by `agent` (llm)']],
  ['a lane', "lane: 'ta|gs'", "'tags'", ['**Lane** `tags`', '`in` sends', '`read` takes `tags`']],
  ['a class type', "classType: 'l|lm'", "'llm'", ['**Class** `llm`', '`agent` uses `model`']],
  ['a key of the pipeline', 'compon|ents: [', 'components', ['boxes']],
  ['a key of a component', "provi|der: 'parse'", 'provider', ['kind of component']],
  ['a key of a link', "fr|om: 'read'", 'from', ['whose output']],
  [
    'a setting',
    "anonymize|Char: '*'",
    'anonymizeChar',
    ['**anonymizeChar**: `string`', 'In effect: `"*"`, from section `glinerSmall` of this file'],
  ],
  ['a setting beside no profile', 'ground|ing: true', 'grounding', ['In effect: `true`, from this file']],
  ['the value of a setting', "anonymizeChar: '|*'", "'*'", ['**anonymizeChar**']],
  ['a profile', "profile: 'gliner|Small'", "'glinerSmall'", ['Profile `glinerSmall`', '- `model`', 'All: `custom`']],
  ['the section of a profile', 'gliner|Small: {', 'glinerSmall', ['Profile `glinerSmall`']],
  [
    'all settings',
    "con|fig: { profile: 'glinerSmall'",
    'config',
    ['| `model` |', 'profile `glinerSmall`', '| `anonymizeChar` | `"*"` |'],
  ],
  ['defaults of the provider', 'con|fig: { apikey', 'config', ['| `modelOutputTokens` | `4096` |']],
  ['a variable', "apikey: '${MILL|RACE_KEY}'", '${MILLRACE_KEY}', ['`ab•••`', 'Defined in .env']],
  ['a variable nobody defines', "model: '${MILL|RACE_OTHER}'", '${MILLRACE_OTHER}', ['not defined']],
];

describe('hover', () => {
  it.each(cases)('explains %s', (_, piece, about, expected) => {
    const found = shown(piece);
    expect(found.about).toBe(about);
    for (const each of expected) expect(found.value).toContain(each);
    expect(found.value).not.toContain('abcdefghij');
  });

  it('says nothing where there is nothing to say', () => {
    for (const piece of ['|{\n  source', "config: {|}, input: [{ from: 'in'", '  ],\n}\n|'])
      expect(shown(piece).value).toBe('');
  });

  it('masks secrets that stand in the text', () => {
    const clear = text.replace('${MILLRACE_KEY}', 'sk-0123456789');
    const { document, position } = fixture(clear.replace('config: { apikey', 'con|fig: { apikey'));
    const found = JSON.stringify(hover(document, position, catalogue, { environment }));
    expect(found).toContain('sk•••');
    expect(found).not.toContain('0123456789');
  });

  it('never fails', () => {
    for (let end = 0; end <= text.length; end += 7) {
      const document = new PipelineDocument('file:///a.pipe', text.slice(0, end));
      for (let at = Math.max(0, end - 60); at <= end; at += 3) {
        expect(() => hover(document, document.lines.positionAt(at), catalogue, { environment })).not.toThrow();
      }
    }
  });
});

describe('the resolved pipeline', () => {
  const resolved = (given: string): string =>
    resolvedPipeline(new PipelineDocument('file:///a.pipe', given), catalogue, environment);

  it('has the profiles merged, the variables masked and the source named', () => {
    const shownText = resolved(text.replace("  source: 'in',\n", ''));
    expect(parsePipelineText(shownText)).toMatchObject({
      source: 'in',
      components: [
        { id: 'in' },
        { id: 'read' },
        { id: 'mask', config: { profile: 'glinerSmall', anonymizeChar: '*', model: expect.any(String) } },
        { id: 'ask' },
        { id: 'model', config: { apikey: 'ab•••', model: '${MILLRACE_OTHER}', profile: 'custom' } },
        { id: 'out' },
      ],
    });
    expect(shownText).toContain('do not run, as nothing leads to them: old');
  });

  it('shows no secret that stands in the text', () => {
    expect(resolved(text.replace('${MILLRACE_KEY}', 'sk-0123456789'))).not.toContain('0123456789');
    expect(
      resolved('{ components: [{ id: "x", provider: "foreign", config: { deep: { password: "0123456789" } } }] }'),
    ).not.toContain('0123456789');
  });

  it('is what can be read of any text', () => {
    for (let end = 0; end <= text.length; end += 11)
      expect(parseSyntax(resolved(text.slice(0, end))).problems).toEqual([]);
    expect(resolved('')).toContain('has no source');
  });
});

describe('a rename in launch.json', () => {
  const launch = `{
  // How this is started
  "configurations": [
    { "type": "millrace", "program": "\${workspaceFolder}/a.pipe", "source": "in" },
    { "type": "millrace", "program": "\${workspaceFolder}/b.pipe", "source": "in" },
    { "type": "millrace", "program": "\${workspaceFolder}/a.pipe", "source": "other" },
    { "type": "node", "program": "\${workspaceFolder}/a.pipe", "source": "in" }, // not ours
  ],
}
`;

  it('follows the sources of the file, and keeps everything else', () => {
    const isFile = (program: string): boolean => program.endsWith('/a.pipe');
    const edits = renameInLaunchFile(launch, isFile, 'in', 'en"try');
    const { lines } = new PipelineDocument('file:///a', launch);
    expect(applyEdits(launch, lines, edits)).toBe(launch.replace('"source": "in"', '"source": "en\\"try"'));
  });

  it('reads whatever is there', () => {
    for (const each of ['', '[]', '{', '{"configurations": {}}', '{"configurations": [1, {"type": "millrace"']) {
      expect(renameInLaunchFile(each, () => true, 'in', 'x')).toEqual([]);
    }
  });
});
