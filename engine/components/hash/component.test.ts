import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openComponent, runComponent, tagsOf } from '../testing.js';
import { component } from './component.js';
import { hashDefinition } from './definition.js';

const bytes = Buffer.from('the same bytes, whatever the pieces');
const expected = createHash('sha512').update(bytes).digest('hex');

describe('hash', () => {
  it('puts the SHA-512 of all pieces into the metadata and passes the bytes on unchanged', async () => {
    const input = tagsOf(bytes, 'text/plain', 7);
    const run = await runComponent(component, hashDefinition, {}, input);
    expect(run.metadata).toEqual({ signature: expected });
    expect(run.emitted.tags).toEqual(input.items);
  });

  it('gives an empty object the signature of no bytes', async () => {
    const run = await runComponent(component, hashDefinition, {}, tagsOf(new Uint8Array()));
    expect(run.metadata).toEqual({ signature: createHash('sha512').digest('hex') });
  });

  it('starts afresh for each object, also after one that broke off', async () => {
    const pipe = await openComponent(component, hashDefinition);
    const broken = tagsOf(Buffer.from('other'));
    const first = await pipe.run({ ...broken, items: broken.items.slice(0, -1) } as typeof broken);
    expect(first.metadata).toEqual({});
    expect((await pipe.run(tagsOf(bytes))).metadata).toEqual({ signature: expected });
    await pipe.stop();
  });
});
