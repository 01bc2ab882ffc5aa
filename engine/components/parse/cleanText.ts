// Control characters but tab and line feed, lone surrogates, byte order marks and code points that are no characters.
const unprintable = /(?![\n\t])[\p{Cc}\p{Cs}\ufeff\p{Noncharacter_Code_Point}]/u;
const allUnprintable = new RegExp(unprintable, 'gu');
const plain = /^[\n\t\u0020-\u007e\u00a1-\u02ff]*$/;

/** Text as components expect it: NFC, line feeds only, no-break spaces and non-printable characters as spaces. */
export function cleanText(text: string): string {
  // The first test is much cheaper than normalising and settles most Western text.
  if (plain.test(text)) return text;
  let clean = text.normalize('NFC');
  if (clean.includes('\r')) clean = clean.replace(/\r\n?/g, '\n');
  if (clean.includes('\u00a0')) clean = clean.replaceAll('\u00a0', ' ');
  if (unprintable.test(clean)) clean = clean.replace(allUnprintable, ' ');
  return clean;
}

/** Pieces of at most `size` characters that do not cut a surrogate pair. */
export function* piecesOf(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + size, text.length);
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end--;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
