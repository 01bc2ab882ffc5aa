import { describe, expect, it } from 'vitest';
import { cleanText } from './cleanText.js';
import { decodeText } from './charset.js';

const german = 'Größe und Maße der Türen: fünf Füße, süße Äpfel. Grüße aus München, schöne Straßen überall.';

function utf16(text: string, big = false): Uint8Array {
  const bytes = Buffer.from(text, 'utf16le');
  return big ? bytes.swap16() : bytes;
}

const bom16 = Buffer.from([0xff, 0xfe]);

describe('the encoding of text', () => {
  it.each([
    ['UTF-8', Buffer.from(german), german, 'utf-8'],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${german}`), german, 'utf-8'],
    ['UTF-16 little endian with a mark', Buffer.concat([bom16, utf16(german)]), german, 'utf-16le'],
    ['UTF-16 big endian with a mark', Buffer.concat([bom16, utf16(german)]).swap16(), german, 'utf-16be'],
    ['UTF-16 little endian without a mark', utf16(german), german, 'utf-16le'],
    ['UTF-16 big endian without a mark', utf16(german, true), german, 'utf-16be'],
    ['ISO-8859-1', Buffer.from(german, 'latin1'), german, 'windows-1252'],
    [
      'windows-1252, which has more than ISO-8859-1',
      Buffer.from('Für 10 \x80 – das \x84Angebot\x93 der Woche, schöne Grüße'.replace('–', '\x96'), 'latin1'),
      'Für 10 € – das „Angebot“ der Woche, schöne Grüße',
      'windows-1252',
    ],
    [
      'Shift JIS',
      Buffer.from('82b182ea82cd93fa967b8cea82cc95b68fcd82c582b781428ae88ec0', 'hex'),
      'これは日本語の文章です。願実',
      'shift_jis',
    ],
    [
      'windows-1251',
      Buffer.from('dde5f2ee20f0f3f1f1eae8e920f2e5eaf1f22c20eae0e6e4fbe920e1f3eae2e020e2e0e6ede02e', 'hex'),
      'Эето русский текст, каждый буква важна.',
      'windows-1251',
    ],
    ['UTF-32', Buffer.from('fffe000048000000f6000000', 'hex'), 'Hö', 'utf-32le'],
  ])('%s is recognised', async (_, bytes, text, charset) => {
    expect(await decodeText(bytes)).toEqual({ text, charset });
  });

  it('is the one the document declares', async () => {
    expect(await decodeText(Buffer.from('łódź', 'utf8'), 'utf-8')).toMatchObject({ text: 'łódź' });
    expect(await decodeText(Buffer.from([0xb3, 0xf3, 0x64, 0xbc]), 'iso-8859-2')).toMatchObject({ text: 'łódź' });
  });

  it('is not the one the document declares if the bytes contradict it', async () => {
    expect(await decodeText(Buffer.from(german, 'latin1'), 'utf-8')).toMatchObject({ text: german });
    expect(await decodeText(Buffer.from(german), 'no-such-charset')).toMatchObject({ text: german });
  });
});

describe('clean text', () => {
  it('is composed, with line feeds only and spaces for what cannot be printed', () => {
    expect(cleanText('e\u0301')).toBe('é');
    expect(cleanText('a\r\nb\rc\td')).toBe('a\nb\nc\td');
    expect(cleanText('a\u0000b\u0007c\u009dd\ufeffe\ud800f')).toBe('a b c d e f');
    expect(cleanText('10\u00a0€ 😀')).toBe('10 € 😀');
  });
});
