import { readFile } from 'node:fs/promises';
import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { extractPdf } from './extract/pdf.js';

const everything = { text: true, table: true, media: true };

/** A PDF of the given objects; readers find them without a table of objects. */
function pdfOf(objects: readonly string[]): Uint8Array<ArrayBuffer> {
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join('');
  return new Uint8Array(Buffer.from(`%PDF-1.7\n${body}trailer <</Root 1 0 R>>\n%%EOF`, 'latin1'));
}

function stream(data: string, dictionary = ''): string {
  return `<<${dictionary}/Length ${data.length}>>\nstream\n${data}\nendstream`;
}

function page(content: string, more: readonly string[] = [], catalogue = ''): Uint8Array<ArrayBuffer> {
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R ${catalogue}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</I 6 0 R>>>>>>',
    stream(content),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...more,
  ]);
}

function read(bytes: Uint8Array<ArrayBuffer>) {
  return extractPdf({ name: 'a.pdf', mimeType: '', bytes }, everything);
}

const text = 'BT /F 12 Tf 20 100 Td (Hello PDF) Tj ET';
const picture = stream(
  '\xff\x00\x00\x00\xff\x00',
  '/Type/XObject/Subtype/Image/Width 2/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB',
);

describe('PDF', () => {
  it('gives a picture once as PNG, however often it is painted', async () => {
    const { text: found, media } = await read(page(`${text} /I Do /I Do`, [picture]));
    expect(found).toBe('Hello PDF');
    expect(media.map((file) => file.mimeType)).toEqual(['image/png']);
    const png = Buffer.from(media[0]?.bytes ?? []);
    expect(png.readUInt32BE(16)).toBe(2);
    expect(png.readUInt32BE(20)).toBe(1);
    const data = png.subarray(png.indexOf('IDAT') + 4, png.indexOf('IEND') - 8);
    expect([...zlib.inflateSync(data)]).toEqual([0, 255, 0, 0, 0, 255, 0]);
  });

  it('gives attached files as embedded files', async () => {
    const { embedded } = await read(
      page(
        text,
        [picture, '<</Type/Filespec/F(data.csv)/EF<</F 8 0 R>>>>', stream('a,b', '/Type/EmbeddedFile')],
        '/Names<</EmbeddedFiles<</Names[(data.csv) 7 0 R]>>>>',
      ),
    );
    expect(embedded.map((file) => [file.name, Buffer.from(file.bytes).toString()])).toEqual([['data.csv', 'a,b']]);
  });

  it('says that a document without text needs OCR', async () => {
    const { text: found, warnings } = await read(page('/I Do', [picture]));
    expect(found).toBe('');
    expect(warnings).toEqual([expect.stringContaining('OCR')]);
  });

  it('says that a document is password-protected', async () => {
    const key = `<${'41'.repeat(32)}>`;
    const bytes = Buffer.from(page(text)).toString('latin1');
    const locked = bytes.replace(
      'trailer <<',
      `trailer <</ID[<00><00>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O ${key}/U ${key}>>`,
    );
    await expect(read(new Uint8Array(Buffer.from(locked, 'latin1')))).rejects.toThrow('is password-protected');
  });

  it('reads a page of text in lines, and the pages in their order', async () => {
    const bytes = await readFile(new URL('../../../examples/documents/invoice.pdf', import.meta.url));
    const { text: found } = await read(new Uint8Array(bytes));
    expect(found).toContain('Item Quantity Unit price Amount\nFlow meter FM-200 4');
    expect(found.indexOf('Delivery note')).toBeLessThan(found.indexOf('Terms of business'));
  });
});
