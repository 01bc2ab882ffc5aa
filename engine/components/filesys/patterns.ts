import path from 'node:path';
import picomatch from 'picomatch';

/** A pattern of the configuration, with absolute paths and forward slashes. */
export interface Pattern {
  /** As it was written. */
  written: string;
  /** Where the walk starts: the part before the first wildcard. */
  base: string;
  /** Whether the path itself, not one of its parents, is meant. */
  matches(file: string): boolean;
}

/** Reads a file, folder or glob; relative ones start at the working directory. */
export function makePattern(written: string): Pattern {
  // An existing name may hold brackets, so only the usual wildcards make a pattern; braces and the like are plain.
  const absolute = withSlashes(path.resolve(written));
  const parts = absolute.split('/');
  const firstWild = parts.findIndex((part) => /[*?]/.test(part));
  if (firstWild < 0) {
    const plain = absolute.length > 1 ? absolute.replace(/\/$/, '') : absolute;
    return { written, base: absolute, matches: (file) => same(file, plain) };
  }
  const base = parts.slice(0, firstWild).join('/') || '/';
  const escaped = absolute.replace(/[[\](){}!+@|\\^$]/g, '\\$&');
  const matches = picomatch(escaped, { dot: true, nocase: ignoresCase, nonegate: true });
  return { written, base: /^[a-z]:$/i.test(base) ? `${base}/` : base, matches };
}

export function withSlashes(file: string): string {
  return path.sep === '\\' ? file.replaceAll('\\', '/') : file;
}

const ignoresCase = process.platform === 'win32';

function same(a: string, b: string): boolean {
  return ignoresCase ? a.toLowerCase() === b.toLowerCase() : a === b;
}
