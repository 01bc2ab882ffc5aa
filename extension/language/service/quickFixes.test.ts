import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { analyseText, type AnalysisOptions, type LocatedDiagnostic } from '../../../pipeline/analysis.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { type Definition, makeCatalogue } from '../../../pipeline/catalogue.js';
import { mayBeChanged, rules } from '../../../pipeline/rules.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';
import { PipelineDocument } from './pipelineDocument.js';
import { type EnvironmentFile, fixAll, mendedCodes, quickFixes } from './quickFixes.js';
import { applyEdits } from './testing/fixture.js';

const bundled = bundledCatalogue();
const agent: Definition = {
  id: 'agent',
  title: 'Agent',
  description: 'Answers with the help of others.',
  classType: ['agent'],
  capabilities: [],
  lanes: { questions: ['answers'] },
  control: { takes: { llm: { min: 1, max: 1 } }, offers: [] },
  config: {
    type: 'object',
    properties: {
      mood: { type: 'string', enum: ['calm', 'brisk'] },
      rounds: { type: 'integer', minimum: 2, maximum: 9 },
      strict: { type: 'boolean' },
      apikey: { type: 'string', writeOnly: true },
    },
  },
  defaultProfile: 'small',
  profiles: { large: { rounds: 9 }, small: { rounds: 3 }, a_large: {} },
  profileAliases: { tiny: 'small' },
};
const catalogue = makeCatalogue([...bundled.all(), agent], [], []);
const options: AnalysisOptions = { catalogue, environment: new Set(['MILLRACE_KEY']) };
const environmentFile: EnvironmentFile = { uri: 'file:///project/.env', text: 'A=1' };
const uri = 'file:///project/a.pipe';

/** Webhook, parser and a response, with something in the places of the parts. */
const whole = ({
  top = "source: 'in',",
  entry = "{ id: 'in', provider: 'webhook', config: {} }",
  read = "{ id: 'read', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] }",
  out = "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' }] }",
  more = '',
} = {}): string => `{
  ${top}
  components: [
    ${entry},
    ${read},
    ${out},${more}
  ],
}
`;
/** An agent with its model between chat and a response. */
const asked = (config: string, control = "control: [{ from: 'bot', classType: 'llm' }]", more = ''): string => `{
  source: 'in',
  components: [
    { id: 'in', provider: 'chat', config: {} },
    { id: 'bot', provider: 'agent', config: ${config}, input: [{ from: 'in', lane: 'questions' }] },
    { id: 'model', provider: 'llm_ollama', config: {}, ${control} },
    { id: 'out', provider: 'response_answers', config: {}, input: [{ from: 'bot', lane: 'answers' }] },${more}
  ],
}
`;

/** Code → a text with that finding alone (or with those that go with it), and what its first mend makes of it. */
const cases: readonly (readonly [code: string, text: string, title: string | RegExp, contains: string])[] = [
  [
    'provider_unknown',
    whole({ read: "{ id: 'read', provider: 'prase', config: {}, input: [{ from: 'in', lane: 'tags' }] }" }),
    'Change to "parse"',
    "provider: 'parse'",
  ],
  [
    'provider_deprecated',
    whole({
      out: "{ id: 'm', provider: 'anonymize', config: {}, input: [{ from: 'read', lane: 'text' }] }, { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'm', lane: 'text' }] }",
    }),
    'Change to "anonymize_text"',
    "provider: 'anonymize_text'",
  ],
  [
    'from_unknown',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'raed', lane: 'text' }] }" }),
    'Change to "read"',
    "from: 'read', lane: 'text'",
  ],
  ['source_unknown', whole({ top: "source: 'inn'," }), 'Change to "in"', "source: 'in'"],
  ['source_missing', whole({ top: '' }), 'Set "source" to "in"', "source: 'in'"],
  [
    'source_ambiguous',
    whole({
      top: '',
      entry:
        "{ id: 'in', provider: 'webhook', config: { mode: 'Source' } }, { id: 'in2', provider: 'dropper', config: { mode: 'Source' } }",
      read: "{ id: 'read', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }, { from: 'in2', lane: 'tags' }] }",
    }),
    'Set "source" to "in"',
    "source: 'in'",
  ],
  ['source_not_source', whole({ top: "source: 'read'," }), 'Set "source" to "in"', "source: 'in'"],
  [
    'id_missing',
    whole({ more: "\n    { provider: 'hash', config: {}, input: [{ from: 'in', lane: 'tags' }] }," }),
    'Name it "hash"',
    "id: 'hash'",
  ],
  [
    'id_duplicate',
    whole({
      more: "\n    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' }] },",
    }),
    'Change to "out_2"',
    "id: 'out_2'",
  ],
  [
    'config_missing',
    whole({ out: "{ id: 'out', provider: 'response_text', input: [{ from: 'read', lane: 'text' }] }" }),
    'Add an empty "config"',
    'config: {}',
  ],
  ['components_invalid', "{ name: 'in' }", /empty list/, 'components: []'],
  ['version_invalid', whole({ top: "source: 'in', version: 0," }), 'Change to 1', 'version: 1'],
  ['field_type', whole({ top: "source: 'in', name: 7," }), 'Put it into quotes', "name: '7'"],
  ['field_unknown', whole({ top: "source: 'in', descripton: 'x'," }), 'Change to "description"', "description: 'x'"],
  [
    'input_invalid',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: { from: 'read', lane: 'text' } }" }),
    'Put it into a list',
    "input: [{ from: 'read', lane: 'text' }]",
  ],
  [
    'lane_unknown',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'txt' }] }" }),
    'Change to "text"',
    "lane: 'text'",
  ],
  [
    'lane_not_produced',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'words' }] }" }),
    'Change to "text"',
    "lane: 'text'",
  ],
  [
    'lane_not_accepted',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'table' }] }" }),
    'Change to "text"',
    "lane: 'text'",
  ],
  [
    'lane_not_produced',
    whole({
      out: "{ id: 'out', provider: 'response_documents', config: {}, input: [{ from: 'read', lane: 'documents' }] }",
    }),
    'Insert Split text between the two',
    "{ from: 'split', lane: 'documents' }",
  ],
  [
    'lane_missing',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read' }] }" }),
    'Add "lane": "text"',
    "{ from: 'read', lane: 'text' }",
  ],
  [
    'from_missing',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ lane: 'text' }] }" }),
    /Add "from"/,
    "lane: 'text', from: '",
  ],
  [
    'link_duplicate',
    whole({
      out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' }, { from: 'read', lane: 'text' }] }",
    }),
    /twice/,
    "input: [{ from: 'read', lane: 'text' }] }",
  ],
  [
    'link_self',
    whole({
      out: "{ id: 'm', provider: 'anonymize_text', config: {}, input: [{ from: 'read', lane: 'text' }, { from: 'm', lane: 'text' }] }, { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'm', lane: 'text' }] }",
    }),
    'Remove this link',
    "input: [{ from: 'read', lane: 'text' }] }, { id: 'out'",
  ],
  [
    'cycle',
    whole({
      out: "{ id: 'm', provider: 'anonymize_text', config: {}, input: [{ from: 'read', lane: 'text' }, { from: 'n', lane: 'text' }] }, { id: 'n', provider: 'anonymize_text', config: {}, input: [{ from: 'm', lane: 'text' }] }, { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'n', lane: 'text' }] }",
    }),
    'Remove this link',
    "id: 'm'",
  ],
  [
    'unreachable',
    whole({
      out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' }] }, { id: 'all', provider: 'response_table', config: {} }",
    }),
    'Add the input table from "read"',
    "{ from: 'read', lane: 'table' }",
  ],
  [
    'no_response',
    whole({ out: "{ id: 'm', provider: 'anonymize_text', config: {}, input: [{ from: 'read', lane: 'text' }] }" }),
    'Return text of "m" to the caller',
    "provider: 'response_text'",
  ],
  ['key_duplicate', whole({ top: "source: 'x', source: 'in'," }), /Remove the "source"/, "{\n  source: 'in',"],
  ['control_missing', asked('{}', ''), 'Use "model" as its llm', "control: [{ from: 'bot', classType: 'llm' }]"],
  [
    'control_missing',
    asked('{}', '').replace(/\n.*llm_ollama.*/, ''),
    /Add .* as its llm/,
    "control: [{ from: 'bot', classType: 'llm' }]",
  ],
  [
    'control_not_taken',
    asked('{}', "control: [{ from: 'bot', classType: 'tool' }]"),
    'Change to "llm"',
    "classType: 'llm'",
  ],
  [
    'control_not_offered',
    asked(
      '{}',
      undefined,
      "\n    { id: 'h', provider: 'response_questions', config: {}, input: [{ from: 'in', lane: 'questions' }], control: [{ from: 'bot', classType: 'llm' }] },",
    ),
    'Remove this link',
    "id: 'h'",
  ],
  [
    'class_type_missing',
    asked('{}', "control: [{ from: 'bot' }]"),
    'Add "classType": "llm"',
    "{ from: 'bot', classType: 'llm' }",
  ],
  ['config_key_unknown', asked("{ modo: 'calm' }"), 'Change to "mood"', "mood: 'calm'"],
  [
    'config_key_misplaced',
    asked("{ profile: 'large', strict: true }"),
    'Move it into "large"',
    'large: { strict: true }',
  ],
  [
    'config_key_misplaced',
    asked("{ profile: 'large', large: { rounds: 4 }, strict: true }"),
    'Move it into "large"',
    'large: { rounds: 4, strict: true } }',
  ],
  [
    'config_key_ignored',
    asked("{ profile: 'large', small: { rounds: 4 } }"),
    /Remove "small"/,
    "config: { profile: 'large' }",
  ],
  [
    'config_key_shadowed',
    asked("{ profile: 'large', large: { strict: true }, strict: false }"),
    /Remove "strict"/,
    'large: { strict: true } }',
  ],
  [
    'config_key_missing',
    whole({
      out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' }] }, { id: 'file', provider: 'local-text-output', config: { parameters: {} }, input: [{ from: 'read', lane: 'text' }] }",
    }),
    'Add "storePath"',
    "parameters: { storePath: 'storePath' }",
  ],
  [
    'config_key_missing',
    whole({
      out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' }] }, { id: 'file', provider: 'local-text-output', config: {}, input: [{ from: 'read', lane: 'text' }] }",
    }),
    'Add "parameters"',
    "config: { parameters: { storePath: 'storePath' } }",
  ],
  ['config_type_wrong', asked("{ rounds: '4' }"), 'Change to 4', 'rounds: 4'],
  ['config_type_wrong', asked("{ strict: 'yes' }"), 'Change to true', 'strict: true'],
  ['config_value_invalid', asked("{ mood: 'calmm' }"), 'Change to "calm"', "mood: 'calm'"],
  ['config_value_invalid', asked('{ rounds: 1 }'), 'Change to 2', 'rounds: 2'],
  ['profile_unknown', asked("{ profile: 'larg' }"), 'Change to "large"', "profile: 'large'"],
  ['profile_deprecated', asked("{ profile: 'tiny' }"), 'Change to "small"', "profile: 'small'"],
  ['profile_missing', asked('{ large: { strict: true } }'), 'Choose the profile "large"', "profile: 'large'"],
  ['profile_implied', asked('{ small: { strict: true } }'), 'Choose the profile "small"', "profile: 'small'"],
  [
    'secret_in_clear',
    asked("{ apikey: 'abc123def456' }"),
    /Move the secret into \.env/,
    "apikey: '${MILLRACE_BOT_APIKEY}'",
  ],
  ['variable_undefined', asked("{ apikey: '${MILLRACE_KEX}' }"), 'Change to "MILLRACE_KEY"', "'${MILLRACE_KEY}'"],
  [
    'variable_undefined',
    asked("{ apikey: '${MILLRACE_OTHER_NAME}' }"),
    'Define MILLRACE_OTHER_NAME in .env',
    'MILLRACE_OTHER_NAME',
  ],
  ['variable_unclosed', asked("{ apikey: '${MILLRACE_KEY' }"), 'Close the brace', "'${MILLRACE_KEY}'"],
  [
    'variable_not_substituted',
    asked("{ mood: 'calm', apikey: '${KEY}' }"),
    'Change to "MILLRACE_KEY"',
    "'${MILLRACE_KEY}'",
  ],
  [
    'suppression_unused',
    whole({ top: "// millrace-ignore-next-line cycle\n  source: 'in'," }),
    'Remove the comment',
    "{\n  source: 'in'",
  ],
  [
    'suppression_unknown',
    whole({
      top: "// millrace-ignore-file no_respons\n  source: 'in',",
      out: "{ id: 'm', provider: 'anonymize_text', config: {}, input: [{ from: 'read', lane: 'text' }] }",
    }),
    'Change to "no_response"',
    'millrace-ignore-file no_response',
  ],
  ['syntax_comma_expected', whole({ top: "source: 'in'" }), 'Add the comma', "source: 'in',"],
  ['syntax_comma_unexpected', whole({ top: "source: 'in',," }), 'Remove the comma', "source: 'in',"],
  ['syntax_colon_expected', whole({ top: "source 'in'," }), 'Add the colon', "source: 'in',"],
  ['syntax_value_expected', whole({ top: "source: 'in', name: ," }), 'Add an empty value', "name: ''"],
  ['syntax_string_unclosed', whole({ top: "source: 'in," }), 'Add the closing quote', "source: 'in',"],
  ['syntax_object_unclosed', whole().trimEnd().slice(0, -1), 'Add }', '],\n}'],
  [
    'syntax_array_unclosed',
    whole({ out: "{ id: 'out', provider: 'response_text', config: {}, input: [{ from: 'read', lane: 'text' } }" }),
    'Add ]',
    "lane: 'text' }] }",
  ],
  ['syntax_comment_unclosed', `${whole()}/* done`, 'Close the comment', '/* done */'],
  ['syntax_text_after_end', `${whole()}}`, /Remove/, '],\n}\n'],
  ['syntax_character_unexpected', whole({ top: "source: 'in',;" }), 'Remove ";"', "source: 'in',"],
  ['syntax_word_unknown', whole({ top: 'source: in,' }), 'Put it into quotes', "source: 'in'"],
  [
    'syntax_word_unknown',
    whole({ entry: "{ id: 'in', provider: 'webhook', config: { hideForm: ture } }" }),
    'Change to true',
    'hideForm: true',
  ],
  ['syntax_escape_invalid', whole({ top: "source: 'in', name: 'C:\\u12'," }), /backslash/, 'C:\\\\u12'],
  ['syntax_number_invalid', whole({ top: "source: 'in', name: 0x," }), 'Put it into quotes', "name: '0x'"],
  [
    'id_reserved',
    whole({ more: "\n    { id: '__proto__', provider: 'hash', config: {}, input: [{ from: 'in', lane: 'tags' }] }," }),
    'Change to "hash"',
    "id: 'hash'",
  ],
  [
    'id_confusing',
    whole({ more: "\n    { id: 'hash ', provider: 'hash', config: {}, input: [{ from: 'in', lane: 'tags' }] }," }),
    'Change to "hash"',
    "id: 'hash'",
  ],
  [
    'control_invalid',
    asked('{}', "control: { from: 'bot', classType: 'llm' }"),
    'Put it into a list',
    "control: [{ from: 'bot', classType: 'llm' }]",
  ],
  ['key_forbidden', whole({ top: "source: 'in', 'constructor': 1," }), 'Remove it', "source: 'in',"],
  [
    'suppression_refused',
    whole({ top: "// millrace-ignore-file id_missing\n  source: 'in'," }),
    'Remove the comment',
    "{\n  source: 'in'",
  ],
  ['profile_invalid', asked('{ profile: 7 }'), 'Use the default profile', 'config: {'],
  [
    'profile_section_renamed',
    asked("{ profile: 'a_large', large: { strict: true } }"),
    'Change to "a_large"',
    'a_large: { strict: true }',
  ],
  [
    'control_too_many',
    asked(
      '{}',
      undefined,
      "\n    { id: 'second', provider: 'llm_ollama', config: {}, control: [{ from: 'bot', classType: 'llm' }] },",
    ),
    /Remove a link/,
    'control: []',
  ],
];

/** What a mend uncovers. */
const follows: Readonly<Record<string, readonly string[]>> = {
  source_ambiguous: ['unreachable'],
  control_too_many: ['unreachable'],
  components_invalid: ['components_empty', 'source_missing'],
};

function findings(text: string, more: Partial<AnalysisOptions> = {}): LocatedDiagnostic[] {
  return analyseText(text, { ...options, ...more });
}

const codes = (found: readonly LocatedDiagnostic[]): string[] => found.map(({ code }) => code);

function ownEdits({ edit }: CodeAction): TextEdit[] {
  const { changes, documentChanges = [] } = edit ?? {};
  const inDocuments = documentChanges.flatMap((change) =>
    'textDocument' in change && change.textDocument.uri === uri ? (change.edits as TextEdit[]) : [],
  );
  return [...(changes?.[uri] ?? []), ...inDocuments];
}

function actionsFor(text: string, found: LocatedDiagnostic): CodeAction[] {
  const document = new PipelineDocument(uri, text);
  return quickFixes(document, document.range(found.range), { ...options, environmentFile });
}

function apply(text: string, action: CodeAction): string {
  return applyEdits(text, new PipelineDocument(uri, text).lines, ownEdits(action));
}

/** The names that an action adds to `.env`. */
function defined({ edit }: CodeAction): string[] {
  return [...JSON.stringify(edit).matchAll(/\\n(\w+)=/g)].map(([, name = '']) => name);
}

describe('a mend', () => {
  it.each(cases)('of %s makes it go away and nothing else appear: %#', (code, text, title, contains) => {
    const before = findings(text);
    const found = before.find((each) => each.code === code);
    if (found === undefined) throw new Error(`There is no ${code}, but ${codes(before).join(', ')}`);
    const actions = actionsFor(text, found).filter(({ diagnostics }) => diagnostics?.[0]?.code === code);
    const action = actions.find((each) => (typeof title === 'string' ? each.title === title : title.test(each.title)));
    if (action === undefined)
      throw new Error(`"${String(title)}" is not offered, but ${actions.map((each) => each.title).join(', ')}`);
    const mended = apply(text, action);
    expect(mended).toContain(contains);
    const environment = new Set(['MILLRACE_KEY', ...defined(action)]);
    const left = codes(findings(mended, { environment }));
    expect(left.filter((each) => each === code)).toHaveLength(codes(before).filter((each) => each === code).length - 1);
    if (!code.startsWith('syntax_'))
      for (const each of left) expect([...codes(before), ...(follows[code] ?? [])]).toContain(each);
    expect(parseSyntax(mended).problems.length).toBeLessThanOrEqual(parseSyntax(text).problems.length);
  });

  it('of every kind that is offered does so', () => {
    for (const [code, text] of cases) {
      const before = findings(text);
      for (const found of before) {
        for (const action of actionsFor(text, found)) {
          const own = action.diagnostics?.[0]?.code;
          const mended = apply(text, action);
          const environment = new Set(['MILLRACE_KEY', ...defined(action)]);
          const left = codes(findings(mended, { environment }));
          const message = `${code}: ${action.title}\n${mended}`;
          expect(parseSyntax(mended).problems.length, message).toBeLessThanOrEqual(parseSyntax(text).problems.length);
          expect(left.filter((each) => each === own).length, message).toBeLessThan(
            codes(before).filter((each) => each === own).length,
          );
        }
      }
    }
  });

  it('of what is half written leaves no more problems than there were', () => {
    for (const text of [whole(), asked("{ profile: 'large', large: { rounds: 4 } }")]) {
      for (let end = 1; end < text.length; end += 2) {
        const half = text.slice(0, end);
        const known = parseSyntax(half).problems.length;
        for (const found of findings(half)) {
          for (const action of actionsFor(half, found)) {
            const mended = apply(half, action);
            expect(parseSyntax(mended).problems.length, `${action.title}\n${mended}`).toBeLessThanOrEqual(known);
          }
        }
      }
    }
  });

  it('hides advice behind a comment, and no error', () => {
    for (const [, text] of cases) {
      for (const found of findings(text)) {
        const hide = actionsFor(text, found).find(({ title }) => title === `Hide "${found.code}" here`);
        if (!mayBeChanged(found.code) || found.code.startsWith('suppression_')) expect(hide).toBeUndefined();
        else if (hide === undefined) throw new Error(`${found.code} cannot be hidden`);
        else expect(codes(findings(apply(text, hide)))).not.toContain(found.code);
      }
    }
  });

  it('exists for the codes that are in the table of rules', () => {
    for (const code of mendedCodes) expect(Object.keys(rules)).toContain(code);
    const tested = new Set(cases.map(([code]) => code));
    const untested = mendedCodes.filter((code) => !tested.has(code));
    expect(untested).toEqual([]);
  });
});

describe('a secret', () => {
  const text = asked('{ apikey: \'it is a "secret"\' }');

  it('moves into the .env beside the file, which is made when it is not there', () => {
    const [found] = findings(text);
    if (found === undefined) throw new Error('There is no finding');
    const document = new PipelineDocument(uri, text);
    const edits = (file: EnvironmentFile): unknown =>
      quickFixes(document, document.range(found.range), { ...options, environmentFile: file })[0]?.edit
        ?.documentChanges;
    expect(JSON.stringify(edits(environmentFile))).toContain(
      JSON.stringify(`\nMILLRACE_BOT_APIKEY='it is a "secret"'\n`),
    );
    expect(edits({ uri: environmentFile.uri, text: undefined })).toMatchObject([
      { kind: 'create', uri: 'file:///project/.env' },
      { textDocument: { uri: 'file:///project/.env' } },
      { textDocument: { uri } },
    ]);
  });

  it('stays when the file has no place', () => {
    const [found] = findings(text);
    if (found === undefined) throw new Error('There is no finding');
    const document = new PipelineDocument('untitled:a', text);
    expect(quickFixes(document, document.range(found.range), options).map(({ title }) => title)).toEqual([
      'Hide "secret_in_clear" here',
    ]);
  });
});

describe('fixing all', () => {
  const fixed = (text: string): string => {
    const document = new PipelineDocument(uri, text);
    const action = fixAll(document, { ...options, environmentFile });
    return action === undefined ? text : apply(text, action);
  };

  it('does what has one mend only, and leaves the rest', () => {
    const text = asked("{ profile: 'tiny', large: { rounds: 4 }, mood: 'calmm' }").replace(
      "'in', lane",
      "'in', from: 'in', lane",
    );
    const done = fixed(text);
    expect(done).not.toMatch(/tiny|large|'in', from/);
    expect(done).toContain("mood: 'calmm'");
  });

  it('changes nothing where nothing is wrong', () => {
    const examples = new URL('../../../examples/pipelines/', import.meta.url);
    for (const name of readdirSync(examples)) {
      const text = readFileSync(new URL(name, examples), 'utf8');
      expect(fixed(text), name).toBe(text);
    }
  });

  it('never adds a finding, and comes to an end', () => {
    for (const [, text] of cases) {
      const done = fixed(text);
      expect(parseSyntax(done).problems.length).toBeLessThanOrEqual(parseSyntax(text).problems.length);
      if (parseSyntax(text).problems.length === 0)
        expect(findings(done).length).toBeLessThanOrEqual(findings(text).length);
      expect(fixed(fixed(done))).toBe(fixed(done));
    }
  });
});
