import { describe, expect, it } from 'vitest';
import { analyseText, type AnalysisOptions } from '../analysis.js';
import { bundledCatalogue } from '../bundledCatalogue.js';
import { makeCatalogue } from '../catalogue.js';
import { catalogue as agents } from '../fixtures.js';

const bundle = bundledCatalogue();

/** The document without its marks, and what they mark: `«…»` is where a finding is expected. */
function marked(document: string): { text: string; ranges: [number, number][] } {
  const ranges: [number, number][] = [];
  const open: [number, number][] = [];
  let text = '';
  for (const character of document) {
    if (character === '«') {
      const range: [number, number] = [text.length, text.length];
      open.push(range);
      ranges.push(range);
    } else if (character === '»') (open.pop() ?? [])[1] = text.length;
    else text += character;
  }
  return { text, ranges };
}

function expectFindings(document: string, codes: string, options: Partial<AnalysisOptions> = {}): void {
  const { text, ranges } = marked(document);
  const expected = codes.split(' ').map((code, at) => [code, ...(ranges[at] ?? [])]);
  const found = analyseText(text, { catalogue: bundle, ...options });
  const readable = (rows: (string | number)[][]): string[] =>
    rows.map(([code, from, to]) => `${code}: ${text.slice(Number(from), Number(to))} @${from}`);
  expect(readable(found.map(({ code, range }) => [code, range.start, range.end]))).toEqual(
    codes === '' ? [] : readable(expected),
  );
}

const pipeline = (...components: string[]): string => `{ source: 'in', components: [\n${components.join(',\n')}\n] }`;
const entry = `{ id: 'in', provider: 'webhook', config: { mode: 'Source' } }`;
const chat = `{ id: 'in', provider: 'chat', config: { mode: 'Source' } }`;
const out = `{ id: 'out', provider: 'response', config: {}, input: [{ from: 'in', lane: 'text' }] }`;
const answers = (from: string): string =>
  `{ id: 'out', provider: 'response_answers', config: {}, input: [{ from: '${from}', lane: 'answers' }] }`;
const x = (provider: string, config: string, lane = 'text'): string =>
  `{ id: 'x', provider: '${provider}', config: ${config}, input: [{ from: 'in', lane: '${lane}' }] }`;
const guard = (config: string): string => pipeline(entry, x('guardrails', config, 'questions'), out);
const files = (config: string): string =>
  `{ source: 'in', components: [{ id: 'in', provider: 'filesys', config: ${config} }] }`;

describe('advice about names marks', () => {
  it.each([
    [
      'a mistyped field of the pipeline',
      `{ «nam»: 'A', source: 'in', components: [${entry}, ${out}] }`,
      'field_unknown',
    ],
    [
      'a component that is mistyped into nothing',
      pipeline(entry, out, `{ id: «'b'», provider: 'hash', config: {}, «inputs»: [{ from: 'in', lane: 'tags' }] }`),
      'unreachable field_unknown',
    ],
    [
      'a mistyped member of a link, beside the error',
      pipeline(entry, out.replace(`{ from: 'in', lane: 'text' }`, `«{ from: 'in', laen: 'text' }»`)).replace(
        'laen',
        '«laen»',
      ),
      'lane_missing field_unknown',
    ],
    [
      'another spelling of a provider',
      pipeline(entry, `{ id: 'a', provider: «'anonymize'», config: {}, input: [{ from: 'in', lane: 'text' }] }`, out),
      'provider_deprecated',
    ],
    [
      'what does not run yet',
      pipeline(
        entry,
        `{ id: 'a', provider: «'llm_gemini'», config: {}, input: [{ from: 'in', lane: 'questions' }] }`,
        out,
      ),
      'provider_planned',
    ],
    ['ids that are alike', pipeline(entry, out, out.replace(`'out'`, `«'OUT'»`)), 'id_confusing'],
    ['a reserved word', pipeline(entry, out.replace(`'out'`, `«'null'»`)), 'id_confusing'],
    ['spaces around an id', pipeline(entry, out.replace(`'out'`, `«' out'»`)), 'id_confusing'],
    ['an empty list', `«{» components: «[]» }`, 'source_missing components_empty'],
  ])('%s', (_, document, codes) => expectFindings(document, codes));
});

describe('advice about the flow marks', () => {
  it.each([
    [
      'several sources, at the first',
      `{ components: [${entry.replace(`'in'`, `«'in'»`)}, ${entry.replace(`'in'`, `'in2'`)}, ${out.replace('[{', `[{ from: 'in2', lane: 'text' }, {`)}] }`,
      'source_ambiguous',
    ],
    [
      'a source that brings nothing in',
      `{ source: «'in'», components: [{ id: 'in', provider: 'parse', config: {} }, ${out}] }`,
      'source_not_source',
    ],
    [
      'what does not run',
      pipeline(
        entry,
        out,
        `{ id: «'a'», provider: 'hash', config: {} }`,
        `{ id: «'b'», provider: 'hash', config: {}, input: [{ from: 'a', lane: 'tags' }] }`,
      ),
      'unreachable unreachable',
    ],
    [
      'nothing behind another source',
      pipeline(
        entry,
        out,
        `{ id: «'in2'», provider: 'filesys', config: { mode: 'Source' } }`,
        `{ id: 'b', provider: 'hash', config: {}, input: [{ from: 'in2', lane: 'tags' }] }`,
      ),
      'unreachable',
    ],
    ['a caller without an answer', pipeline(entry.replace(`'in'`, `«'in'»`), x('anonymize_text', '{}')), 'no_response'],
    [
      'no caller whose data is stored',
      pipeline(entry, x('local-text-output', `{ parameters: { storePath: 'a' } }`)),
      '',
    ],
    [
      'a broken link, and not what follows from it',
      pipeline(entry, out.replace(`from: 'in'`, `from: «'inn'»`)),
      'from_unknown',
    ],
    [
      'an unknown provider, and not what follows from it',
      pipeline(entry, out.replace(`'response'`, `«'respnse'»`)),
      'provider_unknown',
    ],
    [
      'a circle, at the link that closes it',
      pipeline(
        entry,
        `{ id: 'a', provider: 'anonymize_text', config: {}, input: [{ from: «'b'», lane: 'text' }, { from: 'in', lane: 'text' }] }`,
        `{ id: 'b', provider: 'anonymize_text', config: {}, input: [{ from: 'a', lane: 'text' }] }`,
        out,
      ),
      'cycle',
    ],
    [
      'a component linked to itself',
      pipeline(
        entry,
        `{ id: 'a', provider: 'anonymize_text', config: {}, input: [{ from: «'a'», lane: 'text' }, { from: 'in', lane: 'text' }] }`,
        out,
      ),
      'link_self',
    ],
  ])('%s', (_, document, codes) => expectFindings(document, codes));

  it('names each step of a circle', () => {
    const { text } = marked(
      pipeline(
        entry,
        `{ id: 'a', provider: 'anonymize_text', config: {}, input: [{ from: 'b', lane: 'text' }, { from: 'in', lane: 'text' }] }`,
        `{ id: 'b', provider: 'anonymize_text', config: {}, input: [{ from: 'a', lane: 'text' }] }`,
        out,
      ),
    );
    const [cycle] = analyseText(text, { catalogue: bundle });
    expect(cycle?.related?.map(({ range, message }) => [text.slice(range.start, range.end), message])).toEqual([
      [`'a'`, '"b" takes "text" from "a"'],
      [`'b'`, '"a" takes "text" from "b"'],
    ]);
  });
});

describe('advice about links marks', () => {
  it.each([
    [
      'a lane that is not sent',
      pipeline(
        chat,
        x('prompt', '{}', 'text').replace(`'text'`, `«'text'»`),
        answers('m'),
        `{ id: 'm', provider: 'llm_ollama', config: {}, input: [{ from: 'x', lane: 'questions' }] }`,
      ),
      'lane_not_produced',
    ],
    [
      'a lane that is not taken',
      pipeline(entry, out, x('hash', '{}').replace(`'text'`, `«'text'»`)),
      'lane_not_accepted',
    ],
    [
      'a lane that comes only sometimes',
      pipeline(entry, out, x('response_documents', '{}', 'documents').replace(`'documents'`, `«'documents'»`)),
      'lane_unlisted',
    ],
    ['an unknown lane once', pipeline(entry, out, x('hash', '{}').replace(`'text'`, `«'txt'»`)), 'lane_unknown'],
    [
      'the second of two equal links',
      pipeline(entry, out.replace(' }] }', ` }, «{ lane: 'text', from: 'in' }»] }`)),
      'link_duplicate',
    ],
  ])('%s', (_, document, codes) => expectFindings(document, codes));

  const agent = (more = ''): string =>
    `{ id: 'agent', provider: 'agent', config: {}, input: [{ from: 'in', lane: 'questions' }]${more} }`;
  const model = (control: string, id = 'm', provider = 'llm_gemini'): string =>
    `{ id: '${id}', provider: '${provider}', config: {}, control: [${control}] }`;
  const good = `{ from: 'agent', classType: 'llm' }`;
  it.each([
    [
      'a model that is missing',
      pipeline(chat, agent().replace(`'agent'`, `«'agent'»`), answers('agent')),
      'control_missing',
    ],
    [
      'one model too many',
      pipeline(chat, agent().replace(`'agent'`, `«'agent'»`), answers('agent'), model(good), model(good, 'n')),
      'control_too_many',
    ],
    [
      'what cannot serve as a model',
      pipeline(chat, agent(), answers('agent'), model(`{ from: 'agent', classType: «'llm'» }`, 'm', 'memory_internal')),
      'control_not_offered',
    ],
    [
      'a class that is not used, and not that it is missed',
      pipeline(chat, agent(), answers('agent'), model(`{ from: 'agent', classType: «'lm'» }`)),
      'control_not_taken',
    ],
    [
      'a link the wrong way round',
      pipeline(
        chat,
        agent(`, control: [{ from: «'m'», classType: 'llm' }]`).replace(`'agent'`, `«'agent'»`),
        answers('agent'),
        `{ id: 'm', provider: 'llm_gemini', config: {}, input: [{ from: 'in', lane: 'questions' }] }`,
      ),
      'control_missing control_not_taken',
    ],
    [
      'a broken link, and not that something is missed',
      pipeline(chat, agent(), answers('agent'), model(`{ from: «'agnt'», classType: 'llm' }`)),
      'from_unknown',
    ],
  ])('%s', (_, document, codes) => expectFindings(document, codes, { catalogue: agents }));
});

describe('advice about settings marks', () => {
  it.each([
    ['the key of an unknown one', guard(`{ «polcy_mode»: 'warn' }`), 'config_key_unknown'],
    ['one of a provider without any', pipeline(entry, x('parse', '{ «a»: 1 }', 'tags'), out), 'config_key_unknown'],
    [
      'none that editors write everywhere',
      pipeline(
        entry,
        x('parse', `{ mode: 'x', type: 'parse', hideForm: true, parameters: {}, secureParameters: {} }`, 'tags'),
        out,
      ),
      '',
    ],
    [
      'a value outside of the list',
      guard(`{ profile: 'basic', basic: { policy_mode: «'blok'» } }`),
      'config_value_invalid',
    ],
    [
      'wrong types and limits',
      guard(
        `{ max_input_length: «'9'», max_tokens_estimate: «-1», blocked_topics: ['a', «7»], enable_pii_detection: «'no'» }`,
      ),
      'config_type_wrong config_value_invalid config_type_wrong config_type_wrong',
    ],
    [
      'no value that a variable decides',
      guard("{ policy_mode: '${MILLRACE_MODE}', max_input_length: '${MILLRACE_MOST}' }"),
      '',
    ],
    [
      'deep inside',
      files(`{ include: [{ «pth»: 'a' }, { path: «''» }, { path: 'a' }] }`),
      'config_key_unknown config_value_invalid',
    ],
    [
      'what is missing, at config',
      pipeline(entry, x('local-text-output', '{}').replace('config', '«config»')),
      'config_key_missing',
    ],
    [
      'what is missing deeper, at what is there',
      pipeline(entry, x('local-text-output', `{ «parameters»: { exclude: 'a' } }`)),
      'config_key_missing',
    ],
    [
      'a dead section, and the one that wins',
      guard(`{ profile: 'strict', «policy_mode»: 'warn', strict: { policy_mode: 'log' }, «basic»: {} }`),
      'config_key_shadowed config_key_ignored',
    ],
    ['what stands beside its section', guard(`{ profile: 'strict', «policy_mode»: 'warn' }`), 'config_key_misplaced'],
    ['a profile that does not exist', guard(`{ profile: «'strickt'», strickt: { nonsense: 1 } }`), 'profile_unknown'],
    ['a section whose profile is not chosen', guard(`{ «strict»: { policy_mode: 'log' } }`), 'profile_missing'],
    ['a section of the default profile', guard(`{ «basic»: { policy_mode: 'log' } }`), 'profile_implied'],
    [
      'a shortened section',
      pipeline(
        chat,
        `{ id: 'm', provider: 'llm_ollama', config: { profile: 'llama3_2-3b', «'2-3b'»: {} }, input: [{ from: 'in', lane: 'questions' }] }`,
        answers('m'),
      ),
      'profile_section_renamed',
    ],
    ['nothing of what the structural rules refuse', guard(`{ profile: «7», nonsense: 1 }`), 'profile_invalid'],
  ])('%s', (_, document, codes) => expectFindings(document, codes));

  it('a dead profile, with the one to write', () => {
    const document = pipeline(
      chat,
      `{ id: 'm', provider: 'llm_gemini', config: { profile: «'gemini'» }, input: [{ from: 'in', lane: 'questions' }] }`,
      answers('m'),
    );
    expectFindings(document, 'profile_deprecated', { catalogue: agents });
    const [found] = analyseText(marked(document).text, { catalogue: agents });
    expect(found).toMatchObject({ tags: ['deprecated'], data: { replacement: 'flash' } });
  });
});

describe('advice about texts marks', () => {
  const model = (settings: string): string =>
    pipeline(
      chat,
      `{ id: 'm', provider: 'llm_openai_api', config: { profile: 'custom', custom: { base_url: 'http://a/v1', model: 'm', ${settings} } }, input: [{ from: 'in', lane: 'questions' }] }`,
      answers('m'),
    );
  const known = { environment: new Set(['MILLRACE_KEY', 'PATH']) };
  it.each([
    ['a key of the schema', model(`apikey: «'correct horse'»`), 'secret_in_clear'],
    [
      'a key by its shape, wherever it stands',
      model(`apikey: ''`).replace(`source:`, `description: «'sk-abcdefghijklmnopqrstuvwx'», source:`),
      'secret_in_clear',
    ],
    [
      'a password in an address',
      model(`apikey: ''`).replace(`'http://a/v1'`, `«'https://user:secret@a/v1'»`),
      'secret_in_clear',
    ],
    [
      'no variable, nothing empty, nothing to fill in, no number of tokens',
      model("apikey: '${MILLRACE_KEY}', modelOutputTokens: 2048").replace(`'m', prov`, `'m', name: 'token', prov`),
      '',
    ],
    ['no placeholder', model(`apikey: '<your key>'`), ''],
    [
      'a variable that nobody defines, alone',
      model("apikey: 'a«${MILLRACE_KEI}»${MILLRACE_KEY}'"),
      'variable_undefined',
    ],
    ['a variable of another name', model("apikey: '«${PATH}»'"), 'variable_not_substituted'],
    ['a variable without its end', model("apikey: '«${MILLRACE_KEY»'"), 'variable_unclosed'],
    [
      'the whole text when it has escapes',
      model(String.raw`apikey: «'\x41${'$'}{MILLRACE_KEI}'»`),
      'variable_undefined',
    ],
    ['a key that is written twice, at the one without effect', model(`«apikey»: '', apikey: ''`), 'key_duplicate'],
  ])('%s', (_, document, codes) => expectFindings(document, codes, known));

  it('says nothing of variables while nobody knows the environment', () => {
    expectFindings(model("apikey: '${MILLRACE_KEI}'"), '');
  });

  it('never repeats a secret', () => {
    const secret = 'sk-abcdefghijklmnopqrstuvwx';
    expect(JSON.stringify(analyseText(model(`apikey: '${secret}'`), { catalogue: bundle }))).not.toContain(secret);
  });
});

describe('advice', () => {
  it('comes beside errors, each cause once', () => {
    expectFindings(
      pipeline(
        entry,
        out.replace(`'response'`, `«'respnse'»`),
        x('guardrails', `{ policy_mode: «'blok'» }`, 'questions'),
        `{ id: 7, provider: 'hash', config: {} }`.replace('7', '«7»'),
      ),
      'provider_unknown config_value_invalid id_missing',
    );
  });

  it('holds for the whole components of a text that is being written', () => {
    expectFindings(
      pipeline(entry, out, x('guardrails', `{ policy_mode: «'blok'» }`, 'questions'), `{ id: 'new', provider«:» }`),
      'config_value_invalid syntax_value_expected',
    );
  });

  it('is about the structure alone where the providers are unknown', () => {
    const empty = makeCatalogue([]);
    expectFindings(pipeline(entry, x('anything', '{ a: 1 }', 'image'), out), '', { catalogue: empty });
    expectFindings(pipeline(entry, out.replace(`from: 'in'`, `from: «'inn'»`)), 'from_unknown', { catalogue: empty });
  });

  it('stands in a wrapper where it stands without', () => {
    expectFindings(`{ pipeline: ${guard(`{ policy_mode: «'blok'» }`)} }`, 'config_value_invalid');
  });

  it('is quiet about profiles and settings of a definition that says little of itself', () => {
    const bare = {
      ...bundle,
      find: (id: string) => {
        const known = bundle.find(id);
        return known === undefined ? undefined : { ...known, config: {}, profiles: {} };
      },
    };
    expectFindings(guard(`{ profile: 'some', some: { a: 1 }, b: 2 }`), '', { catalogue: bare });
  });
});
