/** The job "light" of the benchmarks. Every cell does it with these functions and answers with the same bytes. */

export function normalise(text) {
  return text.normalize('NFC').trim();
}

export function split(text) {
  const chunks = [];
  for (let at = 0; at < text.length; at += 512) chunks.push(text.slice(at, at + 512));
  return chunks;
}

export function countWords(text) {
  let words = 0;
  let inside = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at) > 32;
    if (letter && !inside) words++;
    inside = letter;
  }
  return words;
}

export function light(text) {
  const plain = normalise(text);
  return { chunks: split(plain), words: countWords(plain) };
}

/** Words of varying length, `bytes` long; with white space of several kinds. */
export function sampleText(bytes) {
  const words = ['flow', 'a', 'measurement', 'of', 'water', 'pressure', 'is', 'taken', 'every', 'hour'];
  const gaps = [' ', ' ', ' ', '\n', '  ', '\t'];
  let text = '';
  for (let at = 0; text.length < bytes; at++) text += words[(at * 7) % words.length] + gaps[at % gaps.length];
  return text.slice(0, bytes);
}
