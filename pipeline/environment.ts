/** Only variables with these prefixes are ever put into a pipeline. */
export const variablePrefixes = ['SERVICE_', 'MILLRACE_', 'ROCKETRIDE_'] as const;

export interface SubstituteOptions {
  /** Replace every other `${…}` by `<REDACTED>`, as servers of the existing clients do. */
  redactOthers?: boolean;
}

export interface Substitution {
  value: unknown;
  /** Names with a prefix of ours that have no value; they stay as written. Each once, in the order found. */
  missing: string[];
  /** Names that were replaced. Each once, in the order found. */
  used: string[];
}

/**
 * Replaces `${NAME}` in every string value; keys stay. One pass: what a variable contains is never expanded again.
 * The argument is not changed. `value` is JSON whose depth was checked.
 */
export function substitute(
  value: unknown,
  variables: Readonly<Record<string, string>>,
  options: SubstituteOptions = {},
): Substitution {
  const used = new Set<string>();
  const missing = new Set<string>();
  const lookUp = (name: string, written: string): string => {
    if (!isVariableName(name)) return options.redactOthers === true ? '<REDACTED>' : written;
    const found: unknown = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (typeof found !== 'string') {
      missing.add(name);
      return written;
    }
    used.add(name);
    return found;
  };
  const walk = (item: unknown): unknown => {
    if (typeof item === 'string') return expand(item, lookUp);
    if (Array.isArray(item)) return item.map(walk);
    if (typeof item !== 'object' || item === null) return item;
    return Object.fromEntries(Object.entries(item).map(([key, member]) => [key, walk(member)]));
  };
  return { value: walk(value), missing: [...missing], used: [...used] };
}

export function isVariableName(name: string): boolean {
  return variablePrefixes.some((prefix) => name.startsWith(prefix));
}

/** Scans by hand: a regular expression takes quadratic time on a text of many `${` without a `}`. */
function expand(text: string, lookUp: (name: string, written: string) => string): string {
  let start = text.indexOf('${');
  if (start < 0) return text;
  let out = '';
  let done = 0;
  while (start >= 0) {
    const end = text.indexOf('}', start + 2);
    if (end < 0) break;
    const name = text.slice(start + 2, end);
    out += text.slice(done, start) + (name === '' ? '${}' : lookUp(name, text.slice(start, end + 1)));
    done = end + 1;
    start = text.indexOf('${', done);
  }
  return out + text.slice(done);
}
