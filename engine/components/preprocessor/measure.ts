/** How much text fits into a chunk. */
export interface Measure {
  /** The end of the longest piece of `text` from `start` that fits: at least one character, never half of one. */
  fit(text: string, start: number): number;
  /** Whether all of `text` fits. */
  holds(text: string): boolean;
}

/** At most `limit` UTF-16 code units, which for all but rare scripts and emoji are characters. */
export function characters(limit: number): Measure {
  return {
    fit(text, start) {
      const end = start + limit;
      return end >= text.length ? text.length : wholeCharacter(text, start, end);
    },
    holds: (text) => text.length <= limit,
  };
}

/** At most `limit` bytes of UTF-8. */
export function utf8Bytes(limit: number): Measure {
  return {
    fit(text, start) {
      let left = limit;
      let at = start;
      for (; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        // The two halves of a surrogate pair count two bytes each.
        left -= unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : 3;
        if (left < 0) break;
      }
      return at === text.length ? at : wholeCharacter(text, start, at);
    },
    holds: (text) => text.length <= limit && (text.length * 3 <= limit || Buffer.byteLength(text) <= limit),
  };
}

/** The smaller of two measures. */
export function both(a: Measure, b: Measure): Measure {
  return {
    fit: (text, start) => Math.min(a.fit(text, start), b.fit(text, start)),
    holds: (text) => a.holds(text) && b.holds(text),
  };
}

function wholeCharacter(text: string, start: number, end: number): number {
  const cutsPair = isLow(text.charCodeAt(end)) && isHigh(text.charCodeAt(end - 1));
  const whole = cutsPair ? end - 1 : end;
  if (whole > start) return whole;
  return start + (isHigh(text.charCodeAt(start)) && isLow(text.charCodeAt(start + 1)) ? 2 : 1);
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
