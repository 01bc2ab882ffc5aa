import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { substitute } from './environment.js';

const variables = { SERVICE_KEY: 'secret', MILLRACE_URL: 'http://x', ROCKETRIDE_A: '${SERVICE_KEY}', HOME: '/root' };

describe('substitute', () => {
  it('replaces variables with a prefix of ours, wherever a string value stands', () => {
    const value = { a: ['${SERVICE_KEY}', { b: 'at ${MILLRACE_URL}/${SERVICE_KEY}' }], n: 1, t: true, z: null };
    expect(substitute(value, variables)).toEqual({
      value: { a: ['secret', { b: 'at http://x/secret' }], n: 1, t: true, z: null },
      missing: [],
      used: ['SERVICE_KEY', 'MILLRACE_URL'],
    });
  });

  it('leaves keys alone', () => {
    expect(substitute({ '${SERVICE_KEY}': 1 }, variables).value).toEqual({ '${SERVICE_KEY}': 1 });
  });

  it('never expands what a variable contains', () => {
    expect(substitute('${ROCKETRIDE_A}', variables).value).toBe('${SERVICE_KEY}');
    expect(substitute('${${SERVICE_KEY}}', { SERVICE_KEY: 'HOME' }).value).toBe('${${SERVICE_KEY}}');
  });

  it('keeps and names a variable that has no value', () => {
    const result = substitute(['${SERVICE_NONE} ${SERVICE_NONE}', '${SERVICE_}'], variables, { redactOthers: true });
    expect(result).toEqual({
      value: ['${SERVICE_NONE} ${SERVICE_NONE}', '${SERVICE_}'],
      missing: ['SERVICE_NONE', 'SERVICE_'],
      used: [],
    });
  });

  it('never reads other variables: they stay, or are redacted when asked to', () => {
    expect(substitute('a ${HOME} $HOME ${}', variables).value).toBe('a ${HOME} $HOME ${}');
    expect(substitute('a ${HOME} b ${toString}', variables, { redactOthers: true }).value).toBe(
      'a <REDACTED> b <REDACTED>',
    );
  });

  it('does not take inherited members for variables', () => {
    const inherited = Object.create({ SERVICE_X: 'leak' }) as Record<string, string>;
    expect(substitute('${SERVICE_X}', inherited)).toMatchObject({ value: '${SERVICE_X}', missing: ['SERVICE_X'] });
  });

  it('takes a text of a million open braces in its stride', () => {
    const text = '${'.repeat(1_000_000);
    expect(substitute(text, variables).value).toBe(text);
  });

  it('changes nothing without variables, and never its argument', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const input = [value, `${text}\${SERVICE_KEY}`];
        const before = JSON.stringify(input);
        expect(JSON.stringify(substitute(input, {}).value)).toBe(before);
        substitute(input, variables, { redactOthers: true });
        expect(JSON.stringify(input)).toBe(before);
      }),
    );
  });

  it('puts each value in exactly once', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.array(fc.string({ unit: fc.constantFrom('a', ' ', '$', '}', '\n') })),
        (secret, gaps) => {
          expect(substitute(gaps.join('${SERVICE_V}'), { SERVICE_V: secret }).value).toBe(gaps.join(secret));
        },
      ),
    );
  });
});
