import { describe, expect, it } from 'vitest';
import { detectType } from './detect.js';
import { extract } from './extract.js';
import type { Kind } from './detect.js';
import { formatNumber, numberFormat } from './extract/numberFormat.js';
import { markdownTables } from './extract/text.js';
import { tableMarkdown } from './tables.js';
import { zipOf } from './testZip.js';

async function read(bytes: Uint8Array | string, kind: Kind) {
  const source = { name: 'x', mimeType: '', bytes: new Uint8Array(Buffer.from(bytes as Uint8Array)) };
  const wanted = { text: true, table: true, media: true };
  return extract({ source, wanted, detected: { kind, mimeType: 'x/x' } });
}

function word(body: string, others: Record<string, string> = {}) {
  const related = Object.keys(others).map(
    (name) => `<Relationship Id="${name}" Type="x/${name.replace(/\d*$/, '')}" Target="${name}.xml"/>`,
  );
  return read(
    zipOf([
      { name: '[Content_Types].xml', data: '<Types>wordprocessingml</Types>' },
      { name: 'word/document.xml', data: `<w:document><w:body>${body}</w:body></w:document>` },
      { name: 'word/_rels/document.xml.rels', data: `<Relationships>${related.join('')}</Relationships>` },
      ...Object.entries(others).map(([name, data]) => ({ name: `word/${name}.xml`, data })),
    ]),
    'zip',
  );
}

const p = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

describe('the type of a document', () => {
  it.each([
    ['prose with commas', 'Hello, world.\nThis is, as ever, text.\nBye, now.\n', '', 'text/plain'],
    ['three columns', 'a,b,c\n1,2,3\n4,5,6\n', '', 'text/csv'],
    ['columns between semicolons', 'Name;Ort\nMüller;Kiel\nMeier;Bonn\n', '', 'text/csv'],
    ['a name that says CSV', 'single column\nof words\n', 'list.csv', 'text/csv'],
    ['a name that says text', 'a,b\n1,2\n3,4\n', 'data.txt', 'text/plain'],
    ['a name that lies', '<!DOCTYPE html><p>x', 'page.csv', 'text/html'],
    ['a page without head', '<div>Hello</div>', '', 'text/html'],
    ['a comparison', '<5 people came, and 7 > 6', '', 'text/plain'],
    ['JSON', ' {"a": 1}', '', 'application/json'],
    ['a bracket in prose', '[sic] he wrote', '', 'text/plain'],
    ['Markdown', '# Title\n\n- one\n- two\n', '', 'text/markdown'],
    ['a mail', 'Received: from a\n by b\nFrom: a@b.example\nSubject: x\n\nhello', '', 'message/rfc822'],
    ['notes that begin like a mail', 'To: do\n\nbuy milk', '', 'text/plain'],
    ['XML', '<?xml version="1.0"?><note>x</note>', '', 'application/xml'],
    ['a drawing', '<svg xmlns="http://www.w3.org/2000/svg"/>', '', 'image/svg+xml'],
  ])('%s', async (_, text, name, mimeType) => {
    expect((await detectType(Buffer.from(text), name, '')).mimeType).toBe(mimeType);
  });
});

describe('tables', () => {
  it('have a line per row without separator line, and no cell that breaks the row', () => {
    expect(
      tableMarkdown([
        ['a|b', 'c\nd', 'say "x"'],
        ['', ' e '],
      ]),
    ).toBe('|a-b|c d|say  x |\n|-|e|-|');
  });

  it('are found in Markdown, but not inside code', () => {
    const table = 'A | B\n:-- | --:\n1 | x\\|y\n\nafter';
    expect(markdownTables(table)).toEqual(['|A|B|\n|1|x-y|']);
    expect(markdownTables(`\`\`\`\n${table}\n\`\`\``)).toEqual([]);
    expect(markdownTables('a | b\nno dashes | here')).toEqual([]);
  });
});

describe('Word documents', () => {
  it('give headers once, then the body, notes and footers', async () => {
    const { text } = await word(p('body'), {
      header1: `<w:hdr>${p('head')}</w:hdr>`,
      header2: `<w:hdr>${p('head')}</w:hdr>`,
      footnotes: `<w:footnotes>${p('note')}</w:footnotes>`,
      footer1: `<w:ftr>${p('foot')}</w:ftr>`,
    });
    expect(text).toBe('head\n\nbody\n\nnote\n\nfoot');
  });

  it('give what stands there now: no deleted text, no field codes, nothing twice', async () => {
    const { text } = await word(
      '<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:del><w:r><w:delText>old</w:delText></w:r></w:del>' +
        '<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:r><w:instrText>PAGE</w:instrText><w:tab/><w:t>end</w:t></w:r>' +
        '<mc:AlternateContent><mc:Choice><w:t>!</w:t></mc:Choice><mc:Fallback><w:t>!</w:t></mc:Fallback></mc:AlternateContent></w:p>',
    );
    expect(text).toBe('new\tend!');
  });

  it('keep the columns of a table in line where cells are merged, and give a table in a cell twice', async () => {
    const cell = (text: string, span = '') => `<w:tc><w:tcPr>${span}</w:tcPr>${text}</w:tc>`;
    const inner = `<w:tbl><w:tr>${cell(p('in'))}</w:tr></w:tbl>`;
    const { text, tables } = await word(
      `<w:tbl><w:tr>${cell(p('wide'), '<w:gridSpan w:val="2"/>')}</w:tr><w:tr>${cell(p('a') + p('b'))}${cell(inner)}</w:tr></w:tbl>`,
    );
    expect(tables).toEqual(['|in|', '|wide|-|\n|a b|in|']);
    expect(text).toBe('wide\t\na b\tin');
  });
});

describe('web pages', () => {
  it('give header, body and footer of a table in this order, and cells that span columns', async () => {
    const { tables } = await read(
      '<table><tfoot><tr><td>sum<td>3</tfoot><tbody><tr><td colspan=2>all</tbody><thead><tr><th>k<th>v</thead></table>',
      'html',
    );
    expect(tables).toEqual(['|k|v|\n|all|-|\n|sum|3|']);
  });

  it('keep the spaces that a reader sees, and the lines of preformatted text', async () => {
    const { text } = await read('<p>a <b> b</b>\n<i>c</i>d</p><pre>x\n  y</pre>&copy;<caption>z', 'html');
    expect(text).toBe('a b cd\nx\n  y\n©\nz');
  });

  it('are decoded as they declare', async () => {
    const { text } = await read(Buffer.from('<meta charset="iso-8859-2"><p>\xb3\xf3d\xbc', 'latin1'), 'html');
    expect(text).toBe('łódź');
  });
});

describe('mails', () => {
  it('give the HTML version if only that has the table', async () => {
    const mail = [
      'From: a@b.example',
      'Subject: =?utf-8?Q?=C3=9Cber?=',
      'Content-Type: multipart/alternative; boundary=x',
      '',
      '--x',
      'Content-Type: text/plain',
      '',
      'see below',
      '--x',
      'Content-Type: text/html',
      '',
      '<p>see</p><table><tr><td>1<td>2</table>',
      '--x--',
    ].join('\r\n');
    const { text, tables, metadata } = await read(mail, 'eml');
    expect(text).toBe('From: a@b.example\nSubject: Über\n\nsee\n1\t2');
    expect(tables).toEqual(['|1|2|']);
    expect(metadata).toMatchObject({ title: 'Über', author: 'a@b.example' });
  });

  it('give a forwarded mail as a file of its own', async () => {
    const mail = [
      'From: a@b.example',
      'Subject: fw',
      'Content-Type: multipart/mixed; boundary=x',
      '',
      '--x',
      'Content-Type: message/rfc822',
      '',
      'From: c@d.example',
      'Subject: inner',
      '',
      'hidden',
      '--x--',
    ].join('\r\n');
    const { text, embedded } = await read(mail, 'eml');
    expect(text).not.toContain('hidden');
    expect(embedded.map((file) => file.mimeType)).toEqual(['message/rfc822']);
    expect(Buffer.from(embedded[0]?.bytes ?? []).toString()).toContain('hidden');
  });
});

describe('numbers in spreadsheets', () => {
  it.each([
    [0.1 + 0.2, 'General', '0.3'],
    [45000, 'yyyy\\-mm\\-dd', '2023-03-15'],
    [45000.75, 'dd/mm/yy hh:mm', '2023-03-15 18:00:00'],
    [0.5, '[h]:mm', '12:00:00'],
    [0.175, '0.0%', '17.5%'],
    [1234.5, '#,##0.00 "days"', '1234.5'],
    [7, '[Red]0', '7'],
  ])('%d as %s is %s', (value, code, text) => {
    expect(formatNumber(value, numberFormat(164, code), false)).toBe(text);
  });

  it('count days from the two beginnings of time', () => {
    expect(formatNumber(1, numberFormat(14, undefined), false)).toBe('1900-01-01');
    expect(formatNumber(61, numberFormat(14, undefined), false)).toBe('1900-03-01');
    expect(formatNumber(0, numberFormat(14, undefined), true)).toBe('1904-01-01');
  });
});
