import type { CompletionItem, Range as LspRange, Position, TextEdit } from 'vscode-languageserver-types';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import type { Range } from '../../../pipeline/syntax/nodes.js';
import { type Choice, plain, withoutStops } from './choice.js';
import { type Cursor, cursorAt } from './cursor.js';
import type { Environment } from './environment.js';
import { keyChoices } from './keyChoices.js';
import { oncePerKey } from './oncePerKey.js';
import type { PipelineDocument } from './pipelineDocument.js';
import { escaped, quoted, type Style, styleOf, writtenKey } from './style.js';
import { componentChoices, skeletons } from './templates.js';
import {
  classChoices,
  controlChoices,
  controllerChoices,
  laneChoices,
  linkChoices,
  providerChoices,
  senderChoices,
  settingChoices,
  type Situation,
  sourceChoices,
  variableChoices,
} from './valueChoices.js';

export interface CompletionOptions {
  /** The variables that `${…}` may name. */
  readonly environment?: Environment;
  /** The character that was just typed, when nobody asked for completion. */
  readonly trigger?: string | undefined;
  /** False for editors that cannot fill in snippets. */
  readonly snippets?: boolean;
}

/** In `data` of items after which completion goes on at the cursor. */
export const goesOn = 'goesOn';

/** What may be written at a position, the likeliest first. Correct inside unfinished text. */
export function complete(
  document: PipelineDocument,
  position: Position,
  catalogue: Catalogue,
  { environment = new Map(), trigger, snippets = true }: CompletionOptions = {},
): CompletionItem[] {
  const offset = document.offsetAt(position);
  const cursor = cursorAt(document, offset);
  if (cursor === undefined || !isWanted(cursor, trigger)) return [];
  const situation = { document, cursor, component: document.componentAt(offset), catalogue, environment };
  const choices = cursor.at === 'key' ? keyChoices(cursor, situation.component, catalogue) : valueChoices(situation);
  const style = styleOf(document);
  const rangeOf = oncePerKey((range: Range) => document.range(range));
  return choices.map((choice) => itemOf(document, cursor, choice, style, snippets, rangeOf));
}

/** Spaces and brackets are typed for many reasons; only some of them ask for a value. */
function isWanted({ at, quote, replace, variable }: Cursor, trigger: string | undefined): boolean {
  if (trigger === undefined) return true;
  if (trigger === '{') return at === 'key' || variable !== undefined;
  const isInString = at === 'value' && quote !== undefined;
  return trigger === '"' || trigger === "'" || (!isInString && at === 'value' && replace.start === replace.end);
}

function valueChoices(situation: Situation): Choice[] {
  const { cursor, document, catalogue } = situation;
  if (cursor.variable !== undefined) return variableChoices(situation);
  const choices = unquotedChoices(situation);
  if (cursor.quote === undefined) return choices;
  // Neither an object nor a number is written between quotes.
  return choices.filter(({ snippet, bare }) => snippet === undefined && bare !== true);

  function unquotedChoices({ cursor: { path } }: Situation): Choice[] {
    const [first, index, third] = path;
    const last = path.at(-1);
    if (path.length === 0) return cursor.parent === undefined ? skeletons(catalogue) : [];
    if (path.length === 1 && first === 'source') return sourceChoices(situation);
    if (first !== 'components' || typeof index !== 'number') return [];
    if (path.length === 2) return componentChoices(document, index, catalogue);
    if (third === 'provider') return providerChoices(situation);
    if (third === 'config') return settingChoices(situation);
    if (third === 'input') {
      if (path.length === 4) return linkChoices(situation);
      return last === 'from' ? senderChoices(situation) : last === 'lane' ? laneChoices(situation) : [];
    }
    if (third !== 'control') return [];
    if (path.length === 4) return controlChoices(situation);
    return last === 'from' ? controllerChoices(situation) : last === 'classType' ? classChoices(situation) : [];
  }
}

/** The choice as it is written at the cursor: with quotes, colon, value and the commas that are missing. */
function itemOf(
  document: PipelineDocument,
  cursor: Cursor,
  choice: Choice,
  style: Style,
  snippets: boolean,
  rangeOf: (range: Range) => LspRange,
): CompletionItem {
  const { label, kind, detail, documentation, rank = 0 } = choice;
  const { range, filter, snippet, more } = written(document.text, cursor, choice, style);
  const stops = snippets && /\$\d|\$\{\d/.test(snippet.replaceAll(/\\[^]/g, ''));
  const newText = stops ? snippet : withoutStops(snippet);
  return {
    label,
    kind: kind as CompletionItem['kind'] & number,
    sortText: `${rank}`.padStart(2, '0') + label,
    filterText: filter,
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined ? {} : { documentation: { kind: 'markdown', value: documentation } }),
    textEdit: { range: rangeOf(range), newText },
    ...(stops ? { insertTextFormat: 2 } : {}),
    ...(newText.includes('\n') ? { insertTextMode: 2 } : {}),
    ...(more.length === 0 ? {} : { additionalTextEdits: more.map((at) => comma(document, at)) }),
    ...(choice.goesOn === true && stops ? { data: goesOn } : {}),
  };
}

interface Written {
  readonly range: Range;
  /** What the text of the range is compared with while somebody types. */
  readonly filter: string;
  readonly snippet: string;
  /** Where commas are added besides. */
  readonly more: readonly number[];
}

function written(text: string, cursor: Cursor, choice: Choice, style: Style): Written {
  const { replace, quote, closed, variable } = cursor;
  const { label } = choice;
  if (variable !== undefined) {
    return { range: variable, filter: label, snippet: choice.snippet?.(style) ?? plain(label), more: [] };
  }
  const whole = { start: replace.start - (quote === undefined ? 0 : 1), end: replace.end + (closed ? 1 : 0) };
  const isNewKey = cursor.at === 'key' && !cursor.hasColon;
  const before = cursor.commaBefore;
  const isTight = before === whole.start;
  const lead = isTight ? ', ' : text[whole.start - 1] === ':' ? ' ' : '';
  const more = before === undefined || isTight ? [] : [before];
  const tail = cursor.commaAfter ? ',' : '';
  if (isNewKey) {
    const key = quote === undefined ? writtenKey(label, style) : quoted(label, quote);
    const value = choice.snippet?.(style) ?? `${style.quote}$1${style.quote}`;
    const filter = quote === undefined ? label : key;
    return { range: whole, filter, snippet: `${lead}${plain(key)}: ${value}${tail}`, more };
  }
  if (quote !== undefined) {
    const end = closed ? '' : quote + (cursor.at === 'value' ? tail : '');
    const after = closed && cursor.at === 'value' && cursor.commaAfter ? [whole.end] : [];
    return { range: replace, filter: label, snippet: plain(escaped(label, quote) + end), more: [...more, ...after] };
  }
  const value =
    cursor.at === 'key'
      ? plain(writtenKey(label, style))
      : (choice.snippet?.(style) ?? plain(choice.bare === true ? label : quoted(label, style.quote)));
  return { range: replace, filter: label, snippet: lead + value + (cursor.at === 'value' ? tail : ''), more };
}

function comma(document: PipelineDocument, at: number): TextEdit {
  return { range: document.range({ start: at, end: at }), newText: ',' };
}
