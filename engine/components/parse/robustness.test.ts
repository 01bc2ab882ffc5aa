import { readFile, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runComponent, tagsOf } from '../testing.js';
import { component } from './component.js';
import { definition } from './definition.js';
import { zipOf } from './testZip.js';

const folder = fileURLToPath(new URL('../../../examples/documents/', import.meta.url));
const names = await readdir(folder);

function parse(bytes: Uint8Array, name = 'file') {
  return runComponent(component, definition, {}, tagsOf(bytes), { object: { name } });
}

describe('damaged documents', () => {
  it.each(names)('%s, cut off anywhere, never fails the object', async (name) => {
    const whole = await readFile(folder + name);
    for (const share of [0.02, 0.3, 0.6, 0.9, 0.99]) {
      const run = await parse(whole.subarray(0, Math.ceil(whole.length * share)), name);
      expect(run.emitted.text.length).toBeLessThanOrEqual(1);
    }
  });

  it.each(['minutes.docx', 'price-list.xlsx', 'product-launch.pptx', 'handbook.odt', 'archive.zip'])(
    '%s, cut off, says that it is damaged and gives no text',
    async (name) => {
      const whole = await readFile(folder + name);
      const run = await parse(whole.subarray(0, whole.length / 2), name);
      expect(run.emitted.text).toEqual([]);
      expect(run.warnings).toEqual([expect.stringMatching(`^${name}: .*damaged`)]);
    },
  );

  it('never fails on random bytes, with or without the first bytes of a format', async () => {
    const starts = [
      '',
      '%PDF-1.7\n',
      'PK\x03\x04',
      '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
      '<html>',
      'From: a\nTo: b\n\n',
      '\xff\xfe',
      '{"a":',
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 2000 }), async (start, bytes) => {
        await parse(Buffer.concat([Buffer.from(start, 'latin1'), bytes]));
      }),
      { numRuns: 150 },
    );
  });

  it('never fails when bytes of a real document are changed', async () => {
    const documents = await Promise.all(names.map((name) => readFile(folder + name)));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...documents),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 }),
        async (document, changes) => {
          const bytes = Uint8Array.from(document);
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          await parse(bytes);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads markup nested a hundred thousand levels deep', async () => {
    const html = await parse(Buffer.from(`<html><body>${'<div>'.repeat(100_000)}bottom`));
    expect(html.emitted.text).toEqual(['bottom']);
    const tables = await parse(Buffer.from(`<html><body>${'<table><tr><td>'.repeat(2000)}bottom`));
    expect(tables.emitted.text.join('')).toContain('bottom');
  });

  it.each([
    ['a chain of comments', '<!---->'.repeat(9000)],
    ['a row of dashes that never ends', `a|b\n-${' '.repeat(200_000)}x`],
    ['quotes without end', '"a""'.repeat(50_000)],
    ['brackets without end', '['.repeat(200_000)],
  ])('reads %s without backtracking for ever', async (_, text) => {
    expect((await parse(Buffer.from(text))).emitted.text.length).toBeLessThanOrEqual(1);
  });

  it('does not expand entities that an XML document defines', async () => {
    const xml = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "expanded">]><a>&x; &amp; done</a>';
    const run = await parse(Buffer.from(xml));
    expect(run.emitted.text.join('')).not.toContain('expanded');
    expect(run.emitted.text.join('')).toContain('& done');
  });

  it('survives a spreadsheet with one cell in the far corner', async () => {
    const sheet =
      '<worksheet><sheetData><row r="1"><c r="A1" t="str"><v>near</v></c></row>' +
      '<row r="1048576"><c r="XFD1048576" t="str"><v>far</v></c></row></sheetData></worksheet>';
    const run = await parse(
      zipOf([
        { name: '[Content_Types].xml', data: '<Types>spreadsheetml</Types>' },
        { name: 'xl/workbook.xml', data: '<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>' },
        {
          name: 'xl/_rels/workbook.xml.rels',
          data: '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/s.xml"/></Relationships>',
        },
        { name: 'xl/worksheets/s.xml', data: sheet },
      ]),
    );
    expect(run.emitted.table).toEqual(['|near|-|\n|-|far|']);
  });
});
