import { describe, expect, it } from 'vitest';
import { checkSchema } from './schema.js';
import { formatPath } from './values.js';

const problems = (schema: Record<string, unknown>, value: unknown): string[] =>
  checkSchema(schema, value).map(({ kind, path, message }) => `${kind} ${formatPath(path)} ${message}`);

describe('a schema', () => {
  it.each<[Record<string, unknown>, unknown, string[]]>([
    [{ type: 'string' }, 7, ['type the top level must be a text, not 7']],
    [{ type: ['string', 'integer'] }, 1.5, ['type the top level must be a text or a whole number, not 1.5']],
    [
      { type: 'array', items: { type: 'number' } },
      [1, 'a', {}],
      ['type [1] must be a number, not "a"', 'type [2] must be a number, not an object'],
    ],
    [{ enum: ['a', 'b'] }, 'c', ['value the top level must be one of "a", "b", not "c"']],
    [{ anyOf: [{ const: 1 }, { const: 2 }] }, true, ['type the top level must be one of 1, 2, not true']],
    [
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
      ['a', 1],
      ['type [1] must be a text, not 1'],
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'array' }] },
      true,
      ['type the top level must be a text or a list, not true'],
    ],
    [{ type: 'number', minimum: 1 }, 0, ['value the top level must be at least 1']],
    [{ type: 'number', exclusiveMaximum: 1 }, 1, ['value the top level must be less than 1']],
    [{ type: 'string', minLength: 1 }, '', ['value the top level must not be empty']],
    [{ type: 'string', maxLength: 1 }, '😀a', ['value the top level must have at most 1 character']],
    [{ type: 'string', maxLength: 1 }, '😀', []],
    [{ not: { enum: ['a'] } }, 'a', ['value the top level must not be "a"']],
    [
      { type: 'object', required: ['a'], properties: { a: {} } },
      { b: 1 },
      ['missing a "a" is missing', 'unknown b "b" is unknown'],
    ],
    [{ type: 'object', required: ['a'] }, { a: null }, ['missing a "a" is missing']],
    [{ type: 'object', properties: {}, additionalProperties: { type: 'string' } }, { b: 1 }, []],
    [{ $ref: '#/elsewhere', type: 'string' }, 1, []],
    [{ type: 'strange', pattern: '(a+)+$' }, 1, []],
    [{ type: 'number' }, '${MILLRACE_N}', []],
    [{ type: 'number' }, null, []],
  ])('%j of %j', (schema, value, expected) => expect(problems(schema, value)).toEqual(expected));
});
