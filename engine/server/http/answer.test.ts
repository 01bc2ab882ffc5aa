import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MillraceError } from '../../../protocol/errors.js';
import { composeAnswer, failedItem, type Item, readResult } from './answer.js';

const one = (result: unknown): unknown =>
  JSON.parse(composeAnswer(new Map([['body', readResult(JSON.stringify(result))]])));

describe('the answer of an upload', () => {
  it('has the result of a single object under its name and in data', () => {
    const result = { objectId: 'o', result_types: { text: 'text' }, text: ['Hi\n\n'], name: 'n', path: '' };
    expect(one(result)).toEqual({
      status: 'OK',
      data: {
        objectsRequested: 1,
        objectsCompleted: 1,
        resultTypes: { text: 'text' },
        objects: { body: { objectId: 'o', text: ['Hi\n\n'], name: 'n', path: '', status: 'OK' } },
        result_types: ['text'],
        objectId: 'o',
        text: ['Hi\n\n'],
        name: 'n',
        path: '',
      },
    });
  });

  it('has no result types when nothing was written', () => {
    expect(one({ objectId: 'o' })).toEqual({
      status: 'OK',
      data: {
        objectsRequested: 1,
        objectsCompleted: 1,
        resultTypes: {},
        objects: { body: { objectId: 'o', status: 'OK' } },
        objectId: 'o',
      },
    });
  });

  it('keeps its own members when a result has some of the same name', () => {
    const result = {
      objectId: 'o',
      result_types: { objectsCompleted: 'text', status: 'text', x: 'json' },
      objectsCompleted: ['lane'],
      status: ['lane'],
      objects: [{ name: 'embedded' }],
      x: [1],
    };
    expect(one(result)).toMatchObject({
      data: {
        objectsCompleted: 1,
        objects: { body: { objectsCompleted: ['lane'], objects: [{ name: 'embedded' }], status: 'OK' } },
        x: [1],
      },
    });
  });

  it('keeps its own members when a lane is captured under the name of one', () => {
    const answer = composeAnswer(
      new Map([['body', readResult('{"objectId":"o","result_types":{"resultTypes":"text"},"resultTypes":["lane"]}')]]),
    );
    expect(answer.match(/"resultTypes":/g)).toHaveLength(3);
    expect(JSON.parse(answer)).toMatchObject({
      data: { resultTypes: { resultTypes: 'text' }, objects: { body: { resultTypes: ['lane'] } } },
    });
  });

  it('has the error of a failed object in its item only', () => {
    const answer = one({ objectId: 'o', error: { message: 'broken', code: 'component_failed', component: 'c' } });
    expect(answer).toEqual({
      status: 'OK',
      data: {
        objectsRequested: 1,
        objectsCompleted: 0,
        resultTypes: {},
        objects: {
          body: {
            status: 'Error',
            error: { message: 'broken', error: 'broken', code: 'component_failed', component: 'c' },
          },
        },
      },
    });
  });

  it('merges the types of several objects and copies none of them', () => {
    const items = new Map<string, Item>([
      ['a', readResult('{"objectId":"1","result_types":{"text":"text"},"text":["x"]}')],
      ['b', readResult('{"result_types":{"answers":"answers"},"answers":[1],"objectId":"2"}')],
      ['c', failedItem(new MillraceError('pipe_failed'))],
    ]);
    const { data } = JSON.parse(composeAnswer(items)) as { data: Record<string, unknown> };
    expect(data).toMatchObject({
      objectsRequested: 3,
      objectsCompleted: 2,
      resultTypes: { text: 'text', answers: 'answers' },
    });
    expect(Object.keys(data)).toEqual(['objectsRequested', 'objectsCompleted', 'resultTypes', 'objects']);
  });

  it('is the same whatever the results contain and in whatever order', () => {
    const key = fc.oneof(
      fc.string(),
      fc.constantFrom('result_types', 'error', 'objects', 'a}b', '{', '"', '__proto__', 'status'),
    );
    const value = fc.jsonValue();
    const members = fc.array(fc.tuple(key, value));
    const types = fc.option(fc.dictionary(key, fc.constantFrom('text', 'json')), { nil: undefined });
    fc.assert(
      fc.property(members, types, fc.nat(), fc.string(), (others, map, place, id) => {
        const entries: [string, unknown][] = [
          ['objectId', id],
          ...others.filter(([name]) => name !== 'result_types' && name !== 'error'),
        ];
        if (map !== undefined) entries.splice(place % (entries.length + 1), 0, ['result_types', map]);
        const result = JSON.parse(JSON.stringify(Object.fromEntries(entries))) as Record<string, unknown>;
        const { data } = one(result) as { data: Record<string, unknown> };
        const { result_types, status, ...rest } = result;
        void status;
        expect(data['objects']).toEqual({ body: { ...rest, status: 'OK' } });
        expect(data['resultTypes']).toEqual(JSON.parse(JSON.stringify(result_types ?? {})));
        expect(data['objectsCompleted']).toBe(1);
      }),
    );
  });
});
