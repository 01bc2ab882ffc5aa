import { toMillraceError } from '../../protocol/errors.js';
import { parsePipelineText } from '../../pipeline/document.js';
import { withoutEnding } from '../../pipeline/fileName.js';
import { findSource, type SourceChoice } from '../../pipeline/source.js';
import { parseSyntax } from '../../pipeline/syntax/parser.js';
import { isName, isRecord } from '../../pipeline/values.js';
import type { Position } from '../../pipeline/syntax/lineIndex.js';
import { type ComponentPosition, findComponents } from './componentPositions.js';

/** A file that is larger, in bytes or UTF-16 units, is not read. */
export const largestPipeline = 8 * 1024 * 1024;

/** A component that a pipeline can be started at. */
export interface PipelineSource {
  readonly id: string;
  /** Empty when the component names none. */
  readonly provider: string;
}

/** What the text of a pipeline file says. */
export interface PipelineFacts {
  readonly kind: 'pipeline';
  /** The pipeline itself, without a wrapper around it; its structure is not checked. */
  readonly pipeline: Readonly<Record<string, unknown>>;
  /** What the pipeline calls itself, else the file's name. */
  readonly name: string;
  /** Undefined when the file has none. */
  readonly projectId: string | undefined;
  readonly source: SourceChoice;
  /** Where it can be started: one when it says so itself, several when somebody has to choose, none when it cannot. */
  readonly sources: readonly PipelineSource[];
  /** Whether one of the sources takes questions. */
  readonly isChat: boolean;
  /** Offset of the first value, behind comments. */
  readonly start: number;
  readonly components: readonly ComponentPosition[];
}

/** Why a file is no pipeline, for people. */
export interface PipelineProblem {
  readonly kind: 'problem';
  /** What the file is called. */
  readonly name: string;
  readonly message: string;
  readonly hint: string;
  /** Where, as far as that is known; else the beginning. */
  readonly position: Position;
}

export type PipelineReading = PipelineFacts | PipelineProblem;

/**
 * What the text of a pipeline file says. Never throws.
 *
 * @param fileName with or without its folders
 */
export function readPipelineText(text: string, fileName: string): PipelineReading {
  const shortName = pipelineName(fileName);
  if (text.length > largestPipeline) return tooLarge(shortName, text.length);
  let pipeline: unknown;
  try {
    pipeline = parsePipelineText(text);
  } catch (thrown) {
    const { message, hint } = toMillraceError(thrown, 'pipeline_syntax');
    const position = positionIn(message);
    return { kind: 'problem', name: shortName, message, hint: text.trim() === '' ? newHint : hint, position };
  }
  if (!isRecord(pipeline)) {
    const message = 'This file is not a pipeline: it must be an object with "components".';
    return { kind: 'problem', name: shortName, message, hint: newHint, position: origin };
  }
  const source = findSource(pipeline);
  const tree = parseSyntax(text);
  const sources = sourcesOf(pipeline, source);
  return {
    kind: 'pipeline',
    pipeline,
    name: isName(pipeline.name) ? pipeline.name : shortName,
    projectId: isName(pipeline.project_id) ? pipeline.project_id : undefined,
    source,
    sources,
    isChat: sources.some(({ provider }) => provider === chatProvider),
    start: tree.root?.start ?? 0,
    components: findComponents(tree),
  };
}

/** The provider whose sources take questions. */
export const chatProvider = 'chat';

export function tooLarge(name: string, size: number): PipelineProblem {
  const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
  const message = `This file has ${megabytes(size)} MB: pipeline files of at most ${megabytes(largestPipeline)} MB are read.`;
  const hint = 'Keep the data outside of the pipeline, and send it when the pipeline runs.';
  return { kind: 'problem', name: pipelineName(name), message, hint, position: origin };
}

/** A file that could not be read at all. */
export function unreadable(name: string, reason: string): PipelineProblem {
  const message = `Cannot read ${name}: ${reason}`;
  const hint = 'Check that the file exists and may be read.';
  return { kind: 'problem', name: pipelineName(name), message, hint, position: origin };
}

/** The name of a pipeline file without its folders and without `.pipe`, `.pipe.json` or `.pipe.json5`. */
export function pipelineName(fileName: string): string {
  const base = fileName.split(/[\\/]/).at(-1) ?? fileName;
  return withoutEnding(base) || base;
}

const newHint = 'The command "New Pipeline from…" makes one that works.';

const origin: Position = { line: 0, character: 0 };

/** The parser puts the position at the end of its message. */
function positionIn(message: string): Position {
  const [, line, column] = /at line (\d+), column (\d+)$/.exec(message) ?? [];
  if (line === undefined || column === undefined) return origin;
  return { line: Number(line) - 1, character: Number(column) - 1 };
}

function sourcesOf(pipeline: Record<string, unknown>, choice: SourceChoice): PipelineSource[] {
  switch (choice.kind) {
    case 'found':
      return [sourceOf(choice.id, choice.component)];
    case 'ambiguous': {
      const components = Array.isArray(pipeline.components) ? pipeline.components.filter(isRecord) : [];
      return choice.candidates.map((id) => sourceOf(id, components.find((component) => component.id === id) ?? {}));
    }
    case 'missing':
    case 'unknown':
      return [];
  }
}

function sourceOf(id: string, { provider }: Record<string, unknown>): PipelineSource {
  return { id, provider: isName(provider) ? provider : '' };
}
