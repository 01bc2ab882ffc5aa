import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonReply } from './json.js';

describe('a JSON reply', () => {
  it.each([
    '{"a":1}',
    ' \n{"a":1}\n',
    '```json\n{"a":1}\n```',
    '```\n{"a":1}\n```',
    '```JSON {"a":1}```',
    '```json\n{"a":1}',
    'Here it is:\n```json\n{"a":1}\n```\nEnjoy.',
    '```sh\nls\n```\nand\n```json\n{"a":1}\n```',
    '<think>maybe {"b":2}</think>{"a":1}',
    '\n<thinking>\n```json\n{"b":2}\n```\n</thinking>\n\n```json\n{"a":1}\n```',
  ])('is found in %j', (reply) => {
    expect(readJsonReply(reply)).toEqual({ value: { a: 1 } });
  });

  it('keeps code fences inside its strings', () => {
    const value = { code: '```js\n1\n```' };
    expect(readJsonReply(JSON.stringify(value))).toEqual({ value });
  });

  it.each([
    ['', 'it is empty'],
    ['<think>done</think>', 'it is empty'],
    ['"text"', 'it is a single value'],
    ['null', 'it is a single value'],
    ['{"a":', 'it is not valid JSON'],
    ['<think>{"a":1}', 'it is not valid JSON'],
  ])('is not %j', (reply, reason) => {
    expect(readJsonReply(reply)).toEqual({ reason: expect.stringContaining(reason) });
  });

  it('never throws, and whatever was fenced comes back', () => {
    fc.assert(
      fc.property(fc.string(), fc.object(), (noise, value) => {
        readJsonReply(noise);
        const json = JSON.stringify(value);
        fc.pre(!json.includes('```'));
        expect(readJsonReply('```json\n' + json + '\n```')).toEqual({ value: JSON.parse(json) });
      }),
    );
  });
});
