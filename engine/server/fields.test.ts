import { describe, expect, it } from 'vitest';
import type { Definition } from '../../pipeline/catalogue.js';
import { ConfigCheck } from './configCheck.js';
import { flagField, integerField, recordField, startFields, textField, textsField, variablesField } from './fields.js';

const refused = expect.objectContaining({ code: 'invalid_argument' }) as Error;

describe('a field of a request', () => {
  it.each([undefined, null])('that is %s counts as not given', (value) => {
    const given = { f: value };
    for (const read of [textField, flagField, textsField, recordField, variablesField])
      expect(read(given, 'f')).toBeUndefined();
    expect(integerField(given, 'f', 0, 9)).toBeUndefined();
  });

  it('has the kind it should have, or is refused by name', () => {
    expect(textField({ f: '' }, 'f')).toBeUndefined();
    expect(textField({ f: 'x' }, 'f')).toBe('x');
    expect(() => textField({ f: 5 }, 'f')).toThrow('`f` must be a string');
    expect(flagField({ f: 'true' }, 'f')).toBe(true);
    expect(flagField({ f: '0' }, 'f')).toBe(false);
    expect(() => flagField({ f: 'yes' }, 'f')).toThrow(refused);
    expect(textsField({ f: ['a'] }, 'f')).toEqual(['a']);
    expect(() => textsField({ f: ['a', 1] }, 'f')).toThrow(refused);
    expect(() => recordField({ f: [] }, 'f')).toThrow(refused);
    expect(() => variablesField({ f: { a: 1 } }, 'f')).toThrow('`f` must be an object of strings');
  });

  it.each([1.5, -1, 10, '1.5', '-1', '0x5', '', ' 5', Number.NaN, true, [5], '5'.repeat(20)])(
    'of whole numbers from 0 to 9 is not %j',
    (value) => {
      expect(() => integerField({ f: value }, 'f', 0, 9)).toThrow('`f` must be an integer from 0 to 9');
    },
  );

  it('of whole numbers may be a string of digits', () => {
    expect([integerField({ f: 7 }, 'f', 0, 9), integerField({ f: '7' }, 'f', 0, 9)]).toEqual([7, 7]);
  });
});

describe('the fields of a start', () => {
  it('are read in both spellings and checked against their limits', () => {
    const given = {
      token: 'T',
      source: '',
      threads: 64,
      ttl: 0,
      use_existing: true,
      args: ['a'],
      pipelineTraceLevel: 'full',
    };
    expect(startFields(given)).toEqual({
      token: 'T',
      source: undefined,
      name: undefined,
      threads: 64,
      ttl: 0,
      useExisting: true,
      args: ['a'],
      traceLevel: 'full',
      env: undefined,
    });
    for (const wrong of [
      { threads: 0 },
      { threads: 65 },
      { ttl: -1 },
      { pipelineTraceLevel: 'all' },
      { env: { A: 1 } },
    ])
      expect(() => startFields(wrong)).toThrow(refused);
  });
});

describe('the configuration of a component', () => {
  const definition = (id: string, config: object): Definition => ({
    id,
    title: id,
    description: '',
    classType: [],
    capabilities: [],
    lanes: {},
    control: { takes: {}, offers: [] },
    config: config as Definition['config'],
  });

  it('is checked against the schema of its provider, with sentences for what is wrong', () => {
    const { check } = new ConfigCheck();
    const properties = { size: { type: 'integer', minimum: 1 }, mode: { enum: ['fast', 'slow'] } };
    const provider = definition('p', { type: 'object', properties, required: ['size'] });
    expect(check(provider, { size: 3, mode: 'fast', unknown: true })).toEqual([]);
    expect(check(provider, { size: 0, mode: 'odd' })).toEqual([
      'config.size must be >= 1',
      'config.mode must be equal to one of the allowed values: fast, slow',
    ]);
    expect(check(provider, {})).toEqual(["config must have required property 'size'"]);
  });

  it('has at most five problems at a time', () => {
    const properties = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`f${at}`, { type: 'string' }]));
    const config = Object.fromEntries(Object.keys(properties).map((name) => [name, 1]));
    expect(new ConfigCheck().check(definition('p', { type: 'object', properties }), config)).toHaveLength(5);
  });

  it('cannot be checked by a schema that is none, which is named', () => {
    const { check } = new ConfigCheck();
    for (let turn = 0; turn < 2; turn++)
      expect(check(definition('p', { type: 'nonsense' }), {})[0]).toMatch(/^the schema of the provider is not valid: /);
  });
});
