import { nearest } from '../../../../pipeline/nearest.js';
import { definitionOf, isSource } from '../facts.js';
import type { ComponentNode, PipelineDocument } from '../pipelineDocument.js';
import { quoted, styleOf, writtenKey } from '../style.js';
import { freeId } from '../templates.js';
import { addMember, elementAt, insideQuotes, removeElement, replaceRange, setMember } from './edits.js';
import { changeTo, type Mend, type Mender, namesIn, type Problem } from './mend.js';

/** Names that do not exist, are missing, or stand twice. */
export const nameMends: Readonly<Record<string, Mender>> = {
  provider_unknown: (problem) => changeTo(problem, nearest(writtenAt(problem), problem.catalogue.ids())),
  provider_deprecated: (problem) => changeTo(problem, namesIn(problem, 'replacement')).map(safe),
  from_unknown: (problem) => changeTo(problem, likeIds(problem)),
  source_unknown: (problem) => changeTo(problem, likeIds(problem, problem.document.components)),
  source_missing: (problem) => setSource(problem, entries(problem)),
  source_ambiguous: (problem) => setSource(problem, namesIn(problem, 'candidates')),
  source_not_source: (problem) => setSource(problem, entries(problem)),
  id_missing: ({ document, component }) => {
    if (component === undefined) return [];
    const id = freeId(component.provider?.value || 'component', idsOf(document));
    const edits = setMember(document, component.node, 'id', quoted(id, styleOf(document).quote));
    return [{ title: `Name it "${id}"`, edits }];
  },
  id_duplicate: (problem) => changeTo(problem, [freeId(writtenAt(problem), idsOf(problem.document))]),
  id_reserved: (problem) =>
    changeTo(problem, [freeId(problem.component?.provider?.value || 'component', idsOf(problem.document))]),
  id_confusing: (problem) => changeTo(problem, namesIn(problem, 'replacement')),
  config_missing: ({ document, component }) =>
    component === undefined
      ? []
      : [
          {
            title: 'Add an empty "config"',
            edits: setMember(document, component.node, 'config', '{}'),
            isSafe: component.config === undefined,
          },
        ],
  components_invalid: ({ document }) =>
    document.pipeline?.kind === 'object'
      ? [
          {
            title: 'Begin with an empty list of components',
            edits: setMember(document, document.pipeline, 'components', '[]'),
          },
        ]
      : [],
  version_invalid: ({ found: { range } }) => [{ title: 'Change to 1', edits: [replaceRange(range, '1')] }],
  field_type: ({ document, found: { range } }) => {
    const written = document.text.slice(range.start, range.end);
    return /^[\w.+-]+$/.test(written)
      ? [{ title: 'Put it into quotes', edits: [replaceRange(range, quoted(written, styleOf(document).quote))] }]
      : [];
  },
  field_unknown: renameKey,
  input_invalid: wrapInList,
  control_invalid: wrapInList,
  key_duplicate: (problem) => removal(problem, `Remove the "${writtenAt(problem)}" that has no effect`).map(safe),
  key_forbidden: (problem) => removal(problem, 'Remove it'),
  suppression_unknown: (problem) =>
    namesIn(problem, 'nearest').map((name) => ({
      title: `Change to "${name}"`,
      edits: [replaceRange(problem.found.range, name)],
    })),
  suppression_unused: removeFromComment,
  suppression_refused: removeFromComment,
};

/** Takes the element out in which a finding is. */
export function removal({ document, found }: Problem, title: string): Mend[] {
  const at = elementAt(document.tree.root, found.range);
  return at === undefined ? [] : [{ title, edits: removeElement(document, at.parent, at.element) }];
}

/** Gives a key the name it should have. */
export function renameKey(problem: Problem): Mend[] {
  const { document, found } = problem;
  const style = styleOf(document);
  return namesIn(problem, 'replacement', 'nearest').map((name) => ({
    title: `Change to "${name}"`,
    edits: [replaceRange(found.range, writtenKey(name, style))],
  }));
}

export function safe(mend: Mend): Mend {
  return { ...mend, isSafe: true };
}

export function writtenAt({ document, found }: Problem): string {
  const { start, end } = insideQuotes(document, found.range);
  return document.text.slice(start, end);
}

function setSource({ document }: Problem, ids: readonly string[]): Mend[] {
  const { pipeline } = document;
  if (pipeline?.kind !== 'object') return [];
  const { quote } = styleOf(document);
  return ids.map((id) => ({
    title: `Set "source" to "${id}"`,
    edits:
      document.source === undefined && pipeline.properties.length > 0 && !hasSource(document)
        ? sourceFirst(document, id)
        : setMember(document, pipeline, 'source', quoted(id, quote)),
  }));
}

/** `source` is looked for above the components. */
function sourceFirst(document: PipelineDocument, id: string): Mend['edits'] {
  const { pipeline, text } = document;
  if (pipeline?.kind !== 'object') return [];
  const style = styleOf(document);
  const before = pipeline.properties.find(({ key }) => key.name === 'components');
  const written = `${writtenKey('source', style)}: ${quoted(id, style.quote)}`;
  if (before === undefined) return addMember(document, pipeline, 'source', quoted(id, style.quote));
  const lineStart = text.lastIndexOf('\n', before.start) + 1;
  const margin = text.slice(lineStart, before.start);
  const isOwnLine = lineStart > 0 && /^[ \t]*$/.test(margin);
  return [{ start: before.start, end: before.start, text: `${written},${isOwnLine ? `\n${margin}` : ' '}` }];
}

function hasSource({ pipeline }: PipelineDocument): boolean {
  return pipeline?.kind === 'object' && pipeline.properties.some(({ key }) => key.name === 'source');
}

function entries({ document, catalogue }: Problem): string[] {
  return document.components.flatMap((component) => {
    const definition = definitionOf(component, catalogue);
    return definition !== undefined && isSource(definition) && component.id !== undefined ? [component.id.value] : [];
  });
}

function likeIds(problem: Problem, components?: readonly ComponentNode[]): string[] {
  const { document, component } = problem;
  const ids = (components ?? document.components.filter((each) => each !== component)).flatMap(({ id }) =>
    id === undefined ? [] : [id.value],
  );
  const near = nearest(writtenAt(problem), ids);
  return near.length > 0 ? near : ids.slice(0, 3);
}

export function idsOf({ components }: PipelineDocument): Set<string> {
  return new Set(components.flatMap(({ id }) => (id === undefined ? [] : [id.value])));
}

function wrapInList({ document, found: { range, path } }: Problem): Mend[] {
  const name = path?.at(-1);
  const node = document.components
    .flatMap(({ node: each }) => each.properties)
    .find(({ key, value }) => key.name === name && value?.start === range.start)?.value;
  if (node?.kind !== 'object') return [];
  const written = document.text.slice(node.start, node.end);
  return [{ title: 'Put it into a list', edits: [replaceRange(node, `[${written}]`)] }];
}

/** Takes a code out of its comment, and the comment when nothing is left in it. */
function removeFromComment({ document, found: { range } }: Problem): Mend[] {
  const { text, tree } = document;
  const comment = tree.comments.find(({ start, end }) => start <= range.start && range.end <= end);
  if (comment === undefined) return [];
  const title = 'Remove the comment';
  const codes =
    text
      .slice(comment.start, comment.end)
      .replace(/\*\/$/, '')
      .split('--', 1)[0]
      ?.match(/[\w-]+/g) ?? [];
  if (codes.length > 2) {
    let { start, end } = range;
    const behind = /^[\s,:]+/.exec(text.slice(end, comment.end))?.[0] ?? '';
    const before = /[\s,:]+$/.exec(text.slice(comment.start, start))?.[0] ?? '';
    if (behind.includes(',')) end += behind.length;
    else start -= before.length;
    return [{ title: 'Remove it from the comment', edits: [replaceRange({ start, end }, '')], isSafe: true }];
  }
  const lineStart = text.lastIndexOf('\n', comment.start - 1) + 1;
  const isOwnLine =
    /^[ \t]*$/.test(text.slice(lineStart, comment.start)) && /^[ \t]*(\r?\n|$)/.test(text.slice(comment.end));
  const start = isOwnLine ? lineStart : comment.start - (/[ \t]*$/.exec(text.slice(0, comment.start))?.[0].length ?? 0);
  const end = isOwnLine ? comment.end + (/^[ \t]*\r?\n?/.exec(text.slice(comment.end))?.[0].length ?? 0) : comment.end;
  return [{ title, edits: [replaceRange({ start, end }, '')], isSafe: true }];
}
