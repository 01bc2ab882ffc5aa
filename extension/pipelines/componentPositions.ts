/** Where a component stands in the text of a pipeline file. Offsets are in UTF-16 units. */
export interface ComponentPosition {
  /** Place in `components`, from 0. */
  readonly index: number;
  /** Undefined while it has none that is a string. */
  readonly id: string | undefined;
  /** Of its opening brace. */
  readonly start: number;
  /** Behind its closing brace, or the end of the text when that is missing. */
  readonly end: number;
  /** Of the value of `id`, its quotes included; the opening brace when there is none. */
  readonly idStart: number;
  readonly idEnd: number;
}

export interface TextPosition {
  /** From 0. */
  readonly line: number;
  /** From 0, in UTF-16 units. */
  readonly character: number;
}

interface Token {
  readonly kind: 'open' | 'close' | 'colon' | 'comma' | 'string' | 'word';
  readonly start: number;
  readonly end: number;
}

/** An object or array that is open. */
interface Level {
  readonly isArray: boolean;
  readonly start: number;
  /** The key whose value comes next, in objects. */
  key: string | undefined;
  /** The element that comes next, in arrays. */
  index: number;
}

interface Draft {
  readonly index: number;
  readonly start: number;
  readonly depth: number;
  id?: { readonly text: string; readonly start: number; readonly end: number };
}

/**
 * The components of a pipeline text in JSON or JSON5, in the order they stand. Never throws: a text that is broken or
 * being written gives what can be recognised.
 */
export function findComponents(text: string): ComponentPosition[] {
  const found: ComponentPosition[] = [];
  const levels: Level[] = [];
  let draft: Draft | undefined;
  let last: Token | undefined;
  const finish = (end: number): void => {
    if (draft === undefined) return;
    const { index, start, id } = draft;
    found.push({ index, id: id?.text, start, end, idStart: id?.start ?? start, idEnd: id?.end ?? start + 1 });
    draft = undefined;
  };
  for (const token of tokens(text)) {
    const level = levels.at(-1);
    switch (token.kind) {
      case 'open': {
        const isArray = text[token.start] === '[';
        if (!isArray && draft === undefined && isComponentList(levels)) {
          draft = { index: level?.index ?? 0, start: token.start, depth: levels.length + 1 };
        }
        levels.push({ isArray, start: token.start, key: undefined, index: 0 });
        break;
      }
      case 'close':
        levels.pop();
        if (draft !== undefined && levels.length < draft.depth) finish(token.end);
        break;
      case 'colon':
        if (level !== undefined && !level.isArray && last !== undefined) level.key = nameOf(text, last);
        break;
      case 'comma':
        if (level !== undefined) {
          level.key = undefined;
          level.index += 1;
        }
        break;
      case 'string':
        if (draft !== undefined && draft.id === undefined && levels.length === draft.depth && level?.key === 'id') {
          draft.id = { text: nameOf(text, token), start: token.start, end: token.end };
        }
        break;
      case 'word':
        break;
    }
    last = token;
  }
  finish(text.length);
  return found;
}

/** Where the first value of the text begins, behind comments; 0 when there is none. */
export function findDocumentStart(text: string): number {
  for (const token of tokens(text)) return token.start;
  return 0;
}

/** Line and character of an offset; an offset outside the text counts as its nearest end. */
export function positionAt(text: string, offset: number): TextPosition {
  const before = text.slice(0, Math.max(0, offset)).split(/\r\n|\r|\n/);
  return { line: before.length - 1, character: (before.at(-1) ?? '').length };
}

/** Inside `components` of the top level, or of the object under `pipeline` there. */
function isComponentList(levels: readonly Level[]): boolean {
  if (levels.at(-1)?.isArray !== true) return false;
  const path = levels.slice(0, -1).map(({ key }) => key);
  return path.at(-1) === 'components' && (path.length === 1 || (path.length === 2 && path[0] === 'pipeline'));
}

function nameOf(text: string, { kind, start, end }: Token): string {
  const written = text.slice(start, end);
  if (kind !== 'string') return written;
  const inner = written.slice(1, written.length > 1 && written.endsWith(written[0] ?? '') ? -1 : undefined);
  return inner.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (_, escape: string) =>
    escape.length === 5 ? String.fromCharCode(parseInt(escape.slice(1), 16)) : (escapes[escape] ?? escape),
  );
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', '\n': '' };

const punctuation: Readonly<Record<string, Token['kind']>> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ':': 'colon',
  ',': 'comma',
};

function* tokens(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    const character = text[at] ?? '';
    const start = at;
    if (text.startsWith('//', at)) at = endOfLine(text, at);
    else if (text.startsWith('/*', at)) at = behind(text, '*/', at + 2);
    else if (character === '"' || character === "'") {
      at = endOfString(text, at);
      yield { kind: 'string', start, end: at };
    } else if (Object.hasOwn(punctuation, character)) {
      at += 1;
      yield { kind: punctuation[character] ?? 'comma', start, end: at };
    } else if (/[\s\uFEFF]/.test(character)) at += 1;
    else {
      at += 1;
      while (at < text.length && !/[\s\uFEFF"'{}[\]:,/]/.test(text[at] ?? '')) at += 1;
      yield { kind: 'word', start, end: at };
    }
  }
}

function endOfLine(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (/[\n\r\u2028\u2029]/.test(text[at] ?? '')) return at;
  return text.length;
}

function behind(text: string, what: string, from: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? text.length : at + what.length;
}

/** A string that is still being written ends with its line, so that the rest of the file keeps its meaning. */
function endOfString(text: string, start: number): number {
  const delimiter = text[start];
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at += text.startsWith('\r\n', at + 1) ? 2 : 1;
    else if (character === delimiter) return at + 1;
    else if (character === '\n' || character === '\r') return at;
  }
  return text.length;
}
