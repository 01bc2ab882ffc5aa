/** Words of `text`: runs of anything but white space. One pass without allocation, because every document takes it. */
export function countWords(text: string): number {
  let words = 0;
  let before = 0x20;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isSpace(before) && !isSpace(unit)) words++;
    before = unit;
  }
  return words;
}

function isSpace(unit: number): boolean {
  return (
    unit <= 0x20 ||
    (unit >= 0xa0 && (unit === 0xa0 || unit === 0x3000 || (unit >= 0x2000 && unit <= 0x200a) || unit === 0x2028))
  );
}
