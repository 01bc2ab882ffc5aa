/** The part of a TextMate grammar that ours uses. */
export interface Grammar {
  scopeName: string;
  patterns: Rule[];
  repository: Record<string, Rule>;
}

interface Rule {
  name?: string;
  include?: string;
  match?: string;
  captures?: Captures;
  begin?: string;
  beginCaptures?: Captures;
  end?: string;
  endCaptures?: Captures;
  patterns?: Rule[];
}
type Captures = Record<string, { name: string }>;

export interface Token {
  text: string;
  /** From the outside to the inside, without the scope of the grammar. */
  scopes: string[];
}

interface Frame {
  rule: Rule;
  scopes: string[];
}

/** Cuts a text into tokens as editors do: line by line, each with its line feed, the first of the leftmost rules wins. */
export function tokenize(grammar: Grammar, text: string): Token[] {
  const stack: Frame[] = [{ rule: { patterns: grammar.patterns }, scopes: [] }];
  return text.split('\n').flatMap((line) => tokenizeLine(grammar, stack, `${line}\n`));
}

function tokenizeLine(grammar: Grammar, stack: Frame[], line: string): Token[] {
  const tokens: Token[] = [];
  const add = (from: number, to: number, scopes: string[]): void => {
    if (line.slice(from, to).trim() !== '') tokens.push({ text: line.slice(from, to), scopes });
  };
  let at = 0;
  // A rule that matches nothing at the same place again and again would never end.
  for (let steps = 0; at < line.length && steps < 10_000; steps++) {
    const frame = stack.at(-1) as Frame;
    const candidates = expand(grammar, frame.rule.patterns ?? []);
    if (frame.rule.end !== undefined) candidates.unshift({ match: frame.rule.end });
    const best = leftmost(candidates, line, at);
    if (best === undefined) break;
    const { rule, found } = best;
    const end = found.index + found[0].length;
    add(at, found.index, frame.scopes);
    if (rule.begin !== undefined) {
      const scopes = [...frame.scopes, ...names(rule.name)];
      addCaptured(found, rule.beginCaptures, scopes, add);
      stack.push({ rule, scopes });
    } else if (rule === candidates[0] && frame.rule.end !== undefined) {
      addCaptured(found, frame.rule.endCaptures, frame.scopes, add);
      stack.pop();
    } else {
      addCaptured(found, rule.captures, [...frame.scopes, ...names(rule.name)], add);
    }
    at = end;
  }
  add(at, line.length, (stack.at(-1) as Frame).scopes);
  return tokens;
}

function expand(grammar: Grammar, rules: readonly Rule[]): Rule[] {
  return rules.flatMap((rule) => {
    if (rule.include !== undefined) {
      const named = grammar.repository[rule.include.slice(1)];
      if (named === undefined) throw new Error(`The grammar has no ${rule.include}`);
      return expand(grammar, [named]);
    }
    return rule.match === undefined && rule.begin === undefined ? expand(grammar, rule.patterns ?? []) : [rule];
  });
}

function leftmost(
  rules: readonly Rule[],
  line: string,
  at: number,
): { rule: Rule; found: RegExpExecArray } | undefined {
  let best: { rule: Rule; found: RegExpExecArray } | undefined;
  for (const rule of rules) {
    const expression = new RegExp(rule.begin ?? rule.match ?? '', 'dgu');
    expression.lastIndex = at;
    const found = expression.exec(line);
    if (found !== null && (best === undefined || found.index < best.found.index)) best = { rule, found };
  }
  return best;
}

function addCaptured(
  found: RegExpExecArray,
  captures: Captures | undefined,
  scopes: string[],
  add: (from: number, to: number, scopes: string[]) => void,
): void {
  const whole = names(captures?.['0']?.name);
  let at = found.index;
  for (let group = 1; group < found.length; group++) {
    const range = found.indices?.[group];
    const name = captures?.[String(group)]?.name;
    if (range === undefined || name === undefined || range[0] < at) continue;
    add(at, range[0], [...scopes, ...whole]);
    add(range[0], range[1], [...scopes, ...whole, ...names(name)]);
    at = range[1];
  }
  add(at, found.index + found[0].length, [...scopes, ...whole]);
}

function names(name: string | undefined): string[] {
  return name?.split(' ') ?? [];
}
