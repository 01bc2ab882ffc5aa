import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { StreamItem } from '../../runtime/component.js';
import { openComponent, runComponent, tagsOf } from '../testing.js';
import { component } from './component.js';
import { definition } from './definition.js';
import { encodePng } from './png.js';
import { zipOf } from './testZip.js';

function parse(bytes: Uint8Array | string, name = 'file', mimeType = '') {
  const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return runComponent(component, definition, {}, tagsOf(data, mimeType), { object: { name } });
}

function bytesOf(items: readonly StreamItem[]): Buffer {
  return Buffer.concat(items.map((item) => (item.action === 'write' ? item.data : Buffer.alloc(0))));
}

const dot = await encodePng({ data: new Uint8Array([255, 0, 0]), width: 1, height: 1, channels: 3 });
const invoice = new URL('../../../examples/documents/invoice.pdf', import.meta.url);

describe('parse', () => {
  it('warns about an empty object and completes it', async () => {
    const run = await parse('', 'nothing.txt');
    expect(run.warnings).toEqual(['nothing.txt: is empty']);
    expect(run.order).toEqual([]);
  });

  it('reads an object whose size nobody told', async () => {
    const items: StreamItem[] = [
      { action: 'begin', mimeType: '' },
      { action: 'write', data: Buffer.from('unannounced') },
      { action: 'end' },
    ];
    const run = await runComponent(component, definition, {}, { lane: 'tags', items });
    expect(run.emitted.text).toEqual(['unannounced']);
  });

  it('gives a whole document in one piece, and a huge one in pieces of 8 Mi characters', async () => {
    expect((await parse('word '.repeat(400_000))).emitted.text.map((text) => text.length)).toEqual([2_000_000]);
    const smiles = `x${'😀'.repeat(5 << 20)}`;
    const pieces = (await parse(smiles)).emitted.text;
    expect(pieces.map((piece) => piece.length)).toEqual([(8 << 20) - 1, (2 << 20) + 2]);
    expect(pieces.join('')).toBe(smiles);
  });

  it('passes a picture on byte by byte, in pieces of at most a mebibyte', async () => {
    const big = Buffer.concat([dot, Buffer.alloc(3 << 20, 7)]);
    const run = await runComponent(component, definition, {}, tagsOf(big, '', 2 << 20), { object: { name: 'a.txt' } });
    expect(run.emitted.image[0]).toMatchObject({ action: 'begin', mimeType: 'image/png', name: 'a.txt' });
    expect(run.emitted.image.at(-1)).toEqual({ action: 'end' });
    const largest = Math.max(...run.emitted.image.map((item) => (item.action === 'write' ? item.data.length : 0)));
    expect(largest).toBeLessThanOrEqual(1 << 20);
    expect(bytesOf(run.emitted.image).equals(big)).toBe(true);
    expect(run.emitted.text).toEqual([]);
    expect(run.metadata.contentType).toBe('image/png');
  });

  it.each([
    ['audio', 'audio/wav', Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00', 'latin1')],
    ['video', 'video/webm', Buffer.from('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm', 'latin1')],
  ] as const)('sends %s on its lane', async (lane, mimeType, bytes) => {
    const run = await parse(bytes);
    expect(run.emitted[lane][0]).toMatchObject({ action: 'begin', mimeType });
    expect(bytesOf(run.emitted[lane]).equals(bytes)).toBe(true);
  });

  it('drops a picture that nobody listens to', async () => {
    const run = await runComponent(component, definition, {}, tagsOf(dot), { listens: ['text'] });
    expect(run.order).toEqual([]);
    expect(run.warnings).toEqual([]);
  });

  it('gives the pictures inside an office document, and those inside an archive', async () => {
    const document = zipOf([
      { name: '[Content_Types].xml', data: '<Types>wordprocessingml</Types>' },
      {
        name: 'word/document.xml',
        data: '<w:document><w:body><w:p><w:r><w:t>Hi</w:t></w:r></w:p></w:body></w:document>',
      },
      { name: 'word/media/image1.png', data: dot },
    ]);
    const run = await parse(document);
    expect(run.emitted.text).toEqual(['Hi']);
    expect(bytesOf(run.emitted.image).equals(dot)).toBe(true);
    const archive = await parse(zipOf([{ name: 'red.png', data: dot }]));
    expect(bytesOf(archive.children[0]?.emitted.image ?? []).equals(dot)).toBe(true);
  });

  it.each([
    ['an archive of another kind', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 0]), 'application/gzip'],
    ['bytes that mean nothing', Buffer.from([1, 2, 3, 0, 250, 251, 0, 17]), 'application/octet-stream'],
    ['rich text', '{\\rtf1 hello}', 'application/rtf'],
  ])('names the type of %s in a warning', async (_, bytes, mimeType) => {
    const run = await parse(bytes, 'odd');
    expect(run.warnings).toEqual([`odd: is of type ${mimeType}, which is not supported`]);
    expect(run.order).toEqual([]);
  });

  it('keeps nothing of one object for the next', async () => {
    const pipe = await openComponent(component, definition);
    await pipe.run(tagsOf(await readFile(invoice)), { name: 'invoice.pdf' });
    const run = await pipe.run(tagsOf(Buffer.from('plain')), { name: 'plain.txt' });
    expect(run.emitted.text).toEqual(['plain']);
    expect(run.metadata).toEqual({ charset: 'utf-8', contentType: 'text/plain' });
    await pipe.stop();
  });

  it('does not change the bytes it was given', async () => {
    const bytes = await readFile(invoice);
    const copy = Buffer.from(bytes);
    await parse(bytes);
    expect(bytes.equals(copy)).toBe(true);
  });
});
