/** White space of JSON5: that of ECMAScript 5.1 with its line terminators. */
export function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0xa0) return false;
  return (
    code === 0xa0 || code === 0xfeff || code === 0x2028 || code === 0x2029 || (code >= 0x1680 && isSeparator(code))
  );
}

export function isLineBreak(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

/** Begins a name without quotes; `\` does as the start of an escape. */
export function isNameStart(code: number): boolean {
  if (code < 0x80)
    return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code === 0x24;
  return /[\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nl}]/u.test(String.fromCharCode(code));
}

export function isNamePart(code: number): boolean {
  if (code < 0x80) return isNameStart(code) || isDigit(code);
  if (code === 0x200c || code === 0x200d) return true;
  return /[\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]/u.test(String.fromCharCode(code));
}

function isSeparator(code: number): boolean {
  return /\p{Zs}/u.test(String.fromCharCode(code));
}
