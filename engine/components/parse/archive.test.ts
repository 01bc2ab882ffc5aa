import { describe, expect, it } from 'vitest';
import { runComponent, tagsOf } from '../testing.js';
import { Archive, plainName } from './archive.js';
import { component } from './component.js';
import { definition } from './definition.js';
import { zipOf } from './testZip.js';

function parse(bytes: Uint8Array, name = 'a.zip') {
  return runComponent(component, definition, {}, tagsOf(bytes), { object: { name } });
}

describe('archives', () => {
  it('gives each file as an object of its own, also those of an archive inside the archive', async () => {
    const inner = zipOf([{ name: 'deep.txt', data: 'down here' }]);
    const run = await parse(
      zipOf([
        { name: 'folder/', data: '' },
        { name: 'folder/one.txt', data: 'first' },
        { name: 'inner.zip', data: inner },
      ]),
    );
    expect(run.children.map((child) => child.name)).toEqual(['folder/one.txt', 'inner.zip', 'deep.txt']);
    expect(run.children.map((child) => child.emitted.text)).toEqual([['first'], [], ['down here']]);
    expect(run.emitted.text).toEqual([]);
    expect(run.warnings).toEqual([]);
  });

  it('keeps names that try to leave their folder inside it', async () => {
    const run = await parse(
      zipOf([
        { name: '../../etc/passwd', data: 'root' },
        { name: 'ok/../x.txt', data: 'x' },
      ]),
    );
    expect(run.children.map((child) => child.name)).toEqual(['etc/passwd', 'ok/x.txt']);
    expect(plainName('C:\\temp\\a.txt')).toBe('temp/a.txt');
    expect(plainName('/..')).toBe('unnamed');
  });

  it('does not unpack a file that grows beyond a hundred times its size', async () => {
    const run = await parse(
      zipOf([
        { name: 'bomb.txt', data: new Uint8Array(8 << 20) },
        { name: 'good.txt', data: 'still here' },
      ]),
    );
    expect(run.warnings).toEqual(['a.zip: bomb.txt unpacks to more than 100 times its size']);
    expect(run.children.map((child) => child.emitted.text)).toEqual([['still here']]);
  });

  it('does not unpack more than the directory promised', async () => {
    const run = await parse(zipOf([{ name: 'liar.txt', data: new Uint8Array(8 << 20), claimedSize: 10 }]));
    expect(run.warnings).toEqual(['a.zip: liar.txt is damaged']);
    expect(run.children).toEqual([]);
  });

  it('refuses an archive that would unpack to more than a gibibyte', async () => {
    const entry = { data: 'x', claimedSize: 0x3000_0000 };
    const run = await parse(
      zipOf([
        { name: 'a', ...entry },
        { name: 'b', ...entry },
      ]),
    );
    expect(run.warnings).toEqual(['a.zip: unpacked the archive would be larger than 1024 MiB']);
  });

  it('refuses an archive with more than ten thousand entries', async () => {
    const run = await parse(zipOf(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, data: '' }))));
    expect(run.warnings).toEqual(['a.zip: the archive has 10001 entries, more than 10000']);
    expect(run.children).toEqual([]);
  });

  it('stops at five levels of archives in archives', async () => {
    let bytes = zipOf([{ name: 'core.txt', data: 'core' }]);
    for (let level = 5; level > 0; level--) bytes = zipOf([{ name: `level${level}.zip`, data: bytes }]);
    const run = await parse(bytes);
    expect(run.children.map((child) => child.name)).not.toContain('core.txt');
    expect(run.warnings.join()).toContain('nested deeper than 5 levels');
  });

  it('counts the files of nested archives together', async () => {
    const inner = zipOf(Array.from({ length: 4000 }, (_, index) => ({ name: `${index}.txt`, data: '' })));
    const run = await parse(zipOf(['a', 'b', 'c'].map((name) => ({ name: `${name}.zip`, data: inner }))));
    expect(run.children.length).toBeLessThanOrEqual(10_000);
    expect(run.warnings.some((warning) => warning.includes('holds too many or too large files'))).toBe(true);
  });

  it('names the file that is password-protected and reads the others', async () => {
    const run = await parse(
      zipOf([
        { name: 'secret.txt', data: 'x', encrypted: true },
        { name: 'open.txt', data: 'open' },
      ]),
    );
    expect(run.warnings).toEqual(['a.zip: secret.txt is password-protected']);
    expect(run.children.map((child) => child.emitted.text)).toEqual([['open']]);
  });

  it('counts what was read against the limit of the whole archive', async () => {
    const archive = await Archive.open(
      zipOf([
        { name: 'a', data: 'x'.repeat(60) },
        { name: 'b', data: 'y'.repeat(60) },
      ]),
      { entries: 10, totalBytes: 120, ratio: 100 },
    );
    archive.read('a');
    archive.read('b');
    expect(() => archive.read('a')).toThrow('larger than what is left');
  });
});
