import { describe, expect, it } from 'vitest';
import { identifiers } from '../worker/identifiers.js';
import { makeChildInfo, makeObjectInfo } from './entry.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const make = (given: Record<string, unknown>) => makeObjectInfo(given, 'text/plain', identifiers);

describe('the identity of an object', () => {
  it('is UUID version 5 of its address', () => {
    // The vector of RFC 4122's erratum for the URL namespace, as every library computes it.
    expect(identifiers.ofUrl('http://www.example.com/')).toBe('fcde3c85-2270-590f-9e7c-ee003d65e0e2');
    expect(identifiers.ofUrl('http://example.com/ö')).toMatch(uuid);
  });

  it('is the same for the same name and differs without one', () => {
    expect(make({ name: 'a.txt' }).objectId).toBe(make({ name: 'a.txt', size: 5 }).objectId);
    expect(make({ name: 'a.txt' })).toMatchObject({
      url: 'null://Stream/a.txt',
      objectId: identifiers.ofUrl('null://Stream/a.txt'),
    });
    const [one, two] = [make({}), make({})];
    expect(one.objectId).not.toBe(two.objectId);
    expect(one.name).toMatch(uuid);
    expect(one.objectId).toMatch(uuid);
    expect(one.url).toBe(`null://Stream/${one.name}`);
  });

  it('is taken from the sender who gives it', () => {
    expect(make({ name: 'n', url: 'file:///n', objectId: 'mine' })).toMatchObject({
      url: 'file:///n',
      objectId: 'mine',
    });
    expect(make({ url: 'file:///n' }).objectId).toBe(identifiers.ofUrl('file:///n'));
  });

  it('does not come from values of the wrong kind', () => {
    const info = make({ name: 7, url: null, objectId: {}, size: -1 });
    expect(info.name).toMatch(uuid);
    expect(info.objectId).toMatch(uuid);
    expect(info.size).toBeUndefined();
  });
});

describe('an object', () => {
  it('has its directory, its size and the properties that are known', () => {
    const info = make({ name: 'a/b/c.txt', size: 0, createTime: 5, flags: 3, other: 1, ['__proto__']: { x: 1 } });
    expect(info).toEqual({
      objectId: identifiers.ofUrl('null://Stream/a/b/c.txt'),
      name: 'a/b/c.txt',
      url: 'null://Stream/a/b/c.txt',
      path: 'a/b',
      mimeType: 'text/plain',
      size: 0,
      metadata: {},
      properties: { size: 0, createTime: 5 },
    });
    expect(make({ name: 'plain.txt ' })).toMatchObject({ name: 'plain.txt ', path: '' });
  });

  it('inside another is called by its place', () => {
    const child = makeChildInfo(make({ name: 'x/a.zip' }), { name: 'in/b.txt', mimeType: 'text/plain' }, identifiers);
    expect(child).toMatchObject({ name: 'x/a.zip/in/b.txt', path: 'x/a.zip/in', mimeType: 'text/plain' });
    expect(child.objectId).toBe(identifiers.ofUrl('null://Stream/x/a.zip/in/b.txt'));
  });
});
