const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', '0': '\0' };

/**
 * Reads quoted strings with commas between them: `'\n\n', "x", ''`. Returns undefined where that is not the syntax.
 * Empty input is an empty list.
 */
export function parseQuoted(text: string): string[] | undefined {
  const strings: string[] = [];
  let at = skipSpace(text, 0);
  if (at === text.length) return strings;
  for (;;) {
    const quote = text[at];
    if (quote !== "'" && quote !== '"') return undefined;
    let value = '';
    for (at++; text[at] !== quote; at++) {
      if (at >= text.length) return undefined;
      if (text[at] === '\\') {
        const escaped = text[++at];
        if (escaped === undefined) return undefined;
        value += escapes[escaped] ?? escaped;
      } else {
        value += text[at];
      }
    }
    strings.push(value);
    at = skipSpace(text, at + 1);
    if (at === text.length) return strings;
    if (text[at] !== ',') return undefined;
    at = skipSpace(text, at + 1);
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && (text[at] as string).trim() === '') at++;
  return at;
}
