import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeValidation, type ValidationOutcome } from '../protocol/dialect.js';
import { MillraceError } from '../protocol/errors.js';
import { catalogue, component, links, pipeline } from './fixtures.js';
import { validateComponent, validateStructure } from './structure.js';

const source = { config: { mode: 'Source' } };
const good = {
  name: 'demo',
  project_id: 'p1',
  components: [
    component('in', 'webhook', source),
    component('parse', 'parse', { input: links('in.tags') }),
    component('out', 'response_text', { input: links('parse.text') }),
  ],
};

const shown = ({ diagnostics }: ValidationOutcome): string[] =>
  diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path?.join('.') ?? ''}`);

const validate = (value: unknown, explicit?: string): ValidationOutcome =>
  validateStructure(value, catalogue, explicit);

/** What is wrong with a pipeline of a sound source and the given component. */
const problems = (value: unknown): string[] =>
  shown(validate({ components: [component('in', 'webhook', source), value] }));

describe('validateStructure', () => {
  it('finds nothing in a sound pipeline and describes what would run', () => {
    expect(validate(good)).toEqual({
      diagnostics: [],
      resolved: { id: 'in', provider: 'webhook' },
      chain: ['in', 'parse', 'out'],
      pipeline: { components: good.components, source: 'in', project_id: 'p1', version: 1 },
    });
  });

  it('reports an unknown provider itself and describes the pipeline nevertheless', () => {
    const outcome = validate({ components: [component('x', 'prase')], source: 'x' });
    expect(outcome.diagnostics).toEqual([
      {
        severity: 'error',
        code: 'provider_unknown',
        message: 'Component "x": unknown provider "prase"; did you mean "parse"?',
        component: 'x',
        path: ['components', 0, 'provider'],
      },
    ]);
    expect(outcome.pipeline).toBeDefined();
    expect(encodeValidation(outcome, 'peer').errors).toEqual([expect.objectContaining({ id: 'x' })]);
  });

  it('leaves planned providers, lane compatibility, cycles and missing models to the start', () => {
    expect(
      shown(
        validate({
          components: [
            component('in', 'webhook', { ...source, input: links('out.tags') }),
            component('x', 'neo4j', { input: links('in.audio') }),
            component('agent', 'agent', { input: links('x.questions') }),
            component('out', 'response_text', { input: links('agent.image', 'out.text') }),
          ],
        }),
      ),
    ).toEqual([]);
  });

  it('lists every violation, with code and path', () => {
    expect(
      shown(
        validate({
          version: 0,
          name: 5,
          components: [
            { provider: '', config: [], input: 'x' },
            null,
            component('in', 'webhook', source),
            component('in', 'parse', { input: links('in.tags') }),
            {
              id: 'a',
              provider: 'upper',
              config: { profile: 'p', p: 1, parameters: [] },
              input: [
                { from: 'nobody', lane: 'txt' },
                {},
                7,
                { from: 'in', lane: 'open' },
                { from: 'in', lane: 'data' },
              ],
              control: [{ from: '', classType: '' }, 'x', { from: 'nobody', classType: 'llm' }],
            },
            { id: 'b', provider: 3, config: { profile: '' }, control: {} },
          ],
        }),
      ),
    ).toEqual([
      'warning field_type name',
      'error version_invalid version',
      'error id_missing components.0.id',
      'error provider_missing components.0.provider',
      'error config_missing components.0.config',
      'error input_invalid components.0.input',
      'error component_not_object components.1',
      'error id_duplicate components.3.id',
      'error profile_section_invalid components.4.config.p',
      'error parameters_invalid components.4.config.parameters',
      'error lane_unknown components.4.input.0.lane',
      'error from_unknown components.4.input.0.from',
      'error lane_missing components.4.input.1.lane',
      'error from_missing components.4.input.1.from',
      'error input_link_invalid components.4.input.2',
      'error lane_unknown components.4.input.3.lane',
      'error lane_unknown components.4.input.4.lane',
      'error class_type_missing components.4.control.0.classType',
      'error from_missing components.4.control.0.from',
      'error control_link_invalid components.4.control.1',
      'error from_unknown components.4.control.2.from',
      'error provider_missing components.5.provider',
      'error profile_invalid components.5.config.profile',
      'error control_invalid components.5.control',
    ]);
  });

  it('names the component and what is wrong with it', () => {
    const wrong = component('out', 'response_text', { input: links('on.txt') });
    const { diagnostics } = validate(pipeline(component('in', 'webhook', source), wrong));
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'Component "out": input "lane" names the unknown lane "txt"; did you mean "text"?',
      'Component "out": input "from" references unknown component "on"; did you mean "in"?',
    ]);
  });

  it('takes null for absent in optional members', () => {
    expect(problems({ id: 'a', provider: 'upper', config: { profile: null }, input: null, control: null })).toEqual([]);
    expect(shown(validate({ ...good, name: null, source: null, version: null }))).toEqual([]);
  });

  it('does not accept an id that could reach a prototype', () => {
    expect(problems(component('__proto__', 'upper'))).toEqual(['error id_reserved components.1.id']);
  });

  it('resolves the source: explicit, then of the pipeline, then implied', () => {
    const value = { ...good, source: 'parse' };
    expect(validate(value, 'out')).toMatchObject({
      resolved: { id: 'out', provider: 'response_text' },
      chain: ['out'],
    });
    expect(validate(value, '')).toMatchObject({ resolved: { id: 'parse' }, chain: ['parse', 'out'] });
    expect(validate({ ...value, source: '' })).toMatchObject({ resolved: { id: 'in' } });
  });

  it('reports a source that is missing, unknown or not a text', () => {
    expect(shown(validate(pipeline(component('a', 'parse'))))).toEqual(['error source_missing source']);
    expect(shown(validate({ components: [] }))).toEqual(['error source_missing source']);
    expect(validate(good, 'x').diagnostics).toMatchObject([
      { code: 'source_unknown', message: 'Pipeline source component "x" not found in components list' },
    ]);
    expect(shown(validate({ ...good, source: 7 }))).toEqual(['error source_invalid source']);
  });

  it('throws when several components could be the source and none is chosen', () => {
    const two = pipeline(component('a', 'webhook', source), component('b', 'chat', source));
    expect(() => validate(two)).toThrow(expect.objectContaining({ code: 'source_ambiguous' }) as Error);
    expect(() => validate(two)).toThrow(
      'Pipeline has multiple source components, please specify one explicitly: "a", "b"',
    );
    expect(validate(two, 'b').diagnostics).toEqual([]);
  });

  it('includes controlled components in the chain, also of a pipeline with errors', () => {
    const { chain, diagnostics } = validate(
      pipeline(
        component('chat', 'chat', source),
        component('agent', 'agnet', { input: links('chat.questions', 'gone.text') }),
        component('llm', 'llm_gemini', { control: [{ from: 'agent', classType: 'llm' }] }),
        component('alone', 'parse'),
      ),
    );
    expect(chain).toEqual(['chat', 'agent', 'llm']);
    expect(diagnostics).toHaveLength(2);
  });

  it('accepts the pipeline under "pipeline", with paths that fit the document', () => {
    expect(validate({ pipeline: good }).resolved?.id).toBe('in');
    expect(shown(validate({ pipeline: { components: [component('a', 'no', source)] } }))).toEqual([
      'error provider_unknown pipeline.components.0.provider',
    ]);
  });

  it.each([
    [null, 'pipeline_not_object'],
    ['text', 'pipeline_not_object'],
    [[], 'pipeline_not_object'],
    [undefined, 'pipeline_not_object'],
    [{}, 'components_invalid'],
    [{ components: {} }, 'components_invalid'],
    [JSON.parse('{"components":[],"x":{"__proto__":1}}'), 'key_forbidden'],
    [JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`), 'too_deep'],
  ])('answers %j with a diagnostic and an empty pipeline', (value, code) => {
    const outcome = validate(value);
    expect(outcome.diagnostics).toMatchObject([{ severity: 'error', code }]);
    expect(outcome.pipeline).toEqual({ components: [], source: '', project_id: '', version: 1 });
  });

  it('keeps the answer small, however large and broken the pipeline is', () => {
    const long = 'x'.repeat(100_000);
    const broken = {
      components: [{ id: long, provider: long, config: {}, input: Array(50_000).fill({ from: long, lane: long }) }],
    };
    const { diagnostics } = validate({ ...broken, source: long });
    expect(diagnostics).toHaveLength(1001);
    expect(diagnostics.at(-1)?.code).toBe('too_many_problems');
    expect(JSON.stringify(diagnostics).length).toBeLessThan(1_000_000);
    expect(validate({ components: Array(100_000).fill(0) }).diagnostics).toHaveLength(1001);
  });

  it('takes a thousand components, sound and unsound', () => {
    const chain = Array.from({ length: 1000 }, (_, index) =>
      component(`c${index}`, 'upper', index === 0 ? source : { input: links(`c${index - 1}.text`) }),
    );
    expect(validate(pipeline(...chain)).chain).toHaveLength(1000);
    const unknown = chain.map((one, index) => ({ ...one, provider: `response_tex${index}` }));
    expect(validate(pipeline(...unknown)).diagnostics).toHaveLength(1000);
  });

  it('never crashes, and always answers with text that can be sent', () => {
    const word = fc.constantFrom('in', 'a', 'webhook', 'parse', 'text', 'Source', '', '__proto__');
    const leaf = fc.oneof(word, fc.jsonValue({ maxDepth: 1 }));
    const some = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.oneof({ weight: 4, arbitrary }, { weight: 1, arbitrary: leaf });
    const link = some(fc.record({ from: some(word), lane: some(word), classType: some(word) }, { requiredKeys: [] }));
    const one = some(
      fc.record(
        {
          id: some(word),
          provider: some(word),
          config: some(fc.record({ mode: word, profile: leaf, parameters: leaf }, { requiredKeys: [] })),
          input: some(fc.array(link)),
          control: some(fc.array(link)),
        },
        { requiredKeys: [] },
      ),
    );
    const document = some(
      fc.record(
        { components: some(fc.array(one)), source: some(word), version: leaf, name: leaf },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(document, fc.option(word, { nil: undefined }), (value, explicit) => {
        try {
          const outcome = validate(value, explicit);
          expect(outcome.pipeline).toBeDefined();
          expect(new Set(outcome.chain).size).toBe(outcome.chain.length);
          JSON.stringify(outcome);
        } catch (error) {
          expect(error).toBeInstanceOf(MillraceError);
          expect((error as MillraceError).code).toBe('source_ambiguous');
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('validateComponent', () => {
  it('fills in what marks a source, without changing its argument', () => {
    const value = { id: 'in', provider: 'webhook', config: { hideForm: true }, ui: { x: 1 } };
    expect(validateComponent(value, catalogue)).toEqual({
      diagnostics: [],
      chain: [],
      component: { ...value, config: { hideForm: true, mode: 'Source', type: 'webhook' } },
    });
    expect(value.config).toEqual({ hideForm: true });
  });

  it('returns other components as they are and does not look for the components they name', () => {
    const value = component('a', 'upper', { input: links('elsewhere.text') });
    expect(validateComponent(value, catalogue)).toEqual({ diagnostics: [], chain: [], component: value });
  });

  it('reports what is wrong with it', () => {
    expect(shown(validateComponent({ provider: 'nothing', config: {} }, catalogue))).toEqual([
      'error id_missing id',
      'error provider_unknown provider',
    ]);
    expect(shown(validateComponent(component('x', 'llm_gemini', { config: { profile: 'no' } }), catalogue))).toEqual([
      'error profile_unknown config',
    ]);
    for (const value of [null, 'x', [], 7]) expect(shown(validateComponent(value, catalogue))).toHaveLength(1);
  });

  it('hands the resolved configuration to the check it is given', () => {
    const outcome = validateComponent(
      component('x', 'llm_gemini', { config: { profile: 'flash', flash: { tokens: 1 } } }),
      catalogue,
      (definition, config) => [`${definition.id} has ${String(config.model)} and ${String(config.tokens)}`],
    );
    expect(outcome.diagnostics).toEqual([
      {
        severity: 'error',
        code: 'config_invalid',
        message: 'Component "x": llm_gemini has flash and 1',
        component: 'x',
        path: ['config'],
      },
    ]);
  });
});
