import { traceLevels } from '../protocol/events.js';
import type { FlowBody, TraceLevel } from '../protocol/events.js';
import type { LinkState, LiveComponent, LiveNote, LiveTask, ToLiveView } from '../protocol/liveView.js';
import { emptyStatus } from '../protocol/status.js';
import type { ComponentStat, SlowDoc, TaskStatus } from '../protocol/status.js';
import { isRecord } from './store/preview.js';

/** Deeper stacks than any pipeline has. */
const deepestStack = 500;

/**
 * A message of the host, or undefined when it is none. Parts of it that are not as promised are left out or replaced by
 * what an empty status has, because servers of other kinds send less.
 */
export function checkToView(message: unknown): ToLiveView | undefined {
  if (!isRecord(message)) return undefined;
  switch (message['type']) {
    case 'task':
      return checkTask(message);
    case 'changes':
      return {
        type: 'changes',
        ...(isRecord(message['status']) ? { status: checkStatus(message['status']) } : {}),
        flow: listOf(message['flow'], checkFlow),
        errors: listOf(message['errors'], checkNote),
        warnings: listOf(message['warnings'], checkNote),
        lost: listOf(message['lost'], checkRange),
      };
    case 'link': {
      const state = checkLink(message['state']);
      return state && { type: 'link', state };
    }
    case 'trace': {
      const { beginSeq, events } = message;
      if (!isNumber(beginSeq) || !Array.isArray(events)) return undefined;
      return { type: 'trace', beginSeq, events: listOf(events, checkFlow) };
    }
    case 'traceLost': {
      const { beginSeq } = message;
      return isNumber(beginSeq) ? { type: 'traceLost', beginSeq, reason: text(message['reason']) } : undefined;
    }
    default:
      return undefined;
  }
}

function checkTask(task: Record<string, unknown>): LiveTask | undefined {
  const { token, name, components } = task;
  if (typeof token !== 'string' || typeof name !== 'string' || !Array.isArray(components)) return undefined;
  return {
    type: 'task',
    token,
    name,
    projectId: text(task['projectId']),
    source: text(task['source']),
    connection: text(task['connection']),
    traceLevel: traceLevels.find((level): level is TraceLevel => level === task['traceLevel']),
    components: distinct(listOf(components, checkComponent)),
    hasFile: task['hasFile'] === true,
  };
}

function distinct(components: LiveComponent[]): LiveComponent[] {
  return [...new Map(components.map((component) => [component.id, component])).values()];
}

function checkComponent(value: unknown): LiveComponent | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
  const { id } = value;
  return {
    id,
    provider: text(value['provider']),
    title: text(value['title']) || id,
    inputs: listOf(value['inputs'], (link) => {
      const { from, lane } = isRecord(link) ? link : {};
      return typeof from === 'string' && typeof lane === 'string' ? { from, lane } : undefined;
    }),
    controls: listOf(value['controls'], (link) => {
      const { from, classType } = isRecord(link) ? link : {};
      return typeof from === 'string' && typeof classType === 'string' ? { from, classType } : undefined;
    }),
  };
}

function checkFlow(value: unknown): FlowBody | undefined {
  if (!isRecord(value)) return undefined;
  const { id, op, pipes, trace, seqNo, time } = value;
  if (!isNumber(id) || !isNumber(seqNo) || !isNumber(time) || !isTexts(pipes) || !isRecord(trace)) return undefined;
  if (op !== 'begin' && op !== 'enter' && op !== 'leave' && op !== 'end') return undefined;
  if (pipes.length > deepestStack) return undefined;
  // Made by hand, not copied: this runs ten thousand times a second.
  return { id, op, pipes, trace, result: value['result'], seqNo, time, project_id: '', source: '' };
}

function checkNote(value: unknown): LiveNote | undefined {
  if (!isRecord(value)) return undefined;
  const { seqNo, time, text: words } = value;
  return isNumber(seqNo) && isNumber(time) && typeof words === 'string' ? { seqNo, time, text: words } : undefined;
}

function checkRange(value: unknown): { first: number; last: number } | undefined {
  const { first, last } = isRecord(value) ? value : {};
  return isNumber(first) && isNumber(last) && last >= first ? { first, last } : undefined;
}

function checkLink(value: unknown): LinkState | undefined {
  if (!isRecord(value)) return undefined;
  switch (value['kind']) {
    case 'live':
    case 'ended':
      return { kind: value['kind'] };
    case 'reconnecting':
      return { kind: 'reconnecting', reason: text(value['reason']) };
    case 'failed':
      return { kind: 'failed', reason: text(value['reason']), hint: text(value['hint']) };
    default:
      return undefined;
  }
}

/** A status in which every field is of its type. */
export function checkStatus(value: Record<string, unknown>): TaskStatus {
  const empty = emptyStatus();
  const pipeflow = isRecord(value['pipeflow']) ? value['pipeflow'] : {};
  const tokens = isRecord(value['tokens']) ? value['tokens'] : {};
  return {
    ...likeEmpty(empty, value),
    errors: listOf(value['errors'], readableText),
    warnings: listOf(value['warnings'], readableText),
    notes: [],
    metrics: likeEmpty(empty.metrics, value['metrics']),
    tokens: { ...likeEmpty(empty.tokens, tokens), custom: recordOf(tokens['custom'], finite) },
    pipeflow: {
      totalPipes: finite(pipeflow['totalPipes']) ?? 0,
      byPipe: recordOf(pipeflow['byPipe'], (stack) => (isTexts(stack) ? stack : undefined)),
    },
    componentStats: recordOf(value['componentStats'], (stat) =>
      isRecord(stat) ? likeEmpty<ComponentStat>({ calls: 0, totalSeconds: 0, maxSeconds: 0 }, stat) : undefined,
    ),
    slowestDocs: listOf(value['slowestDocs'], checkSlowDoc),
  };
}

function checkSlowDoc(value: unknown): SlowDoc | undefined {
  if (!isRecord(value) || typeof value['name'] !== 'string') return undefined;
  const { name, beginSeq } = value;
  const number = (field: string): number => finite(value[field]) ?? 0;
  return {
    name,
    elapsed: number('elapsed'),
    beginTime: number('beginTime'),
    beginSeq: isNumber(beginSeq) ? beginSeq : null,
  };
}

/** The fields of `empty`, with the plain values of `value` where they are of the same type. */
function likeEmpty<T extends object>(empty: T, value: unknown): T {
  const given = isRecord(value) ? value : {};
  const usable = Object.entries(empty).filter(([key, like]) => {
    const found = given[key];
    return typeof like !== 'object' && typeof found === typeof like && (typeof found !== 'number' || isNumber(found));
  });
  return { ...empty, ...Object.fromEntries(usable.map(([key]) => [key, given[key]])) };
}

function recordOf<T>(value: unknown, check: (entry: unknown) => T | undefined): Record<string, T> {
  const out: Record<string, T> = {};
  for (const [key, entry] of Object.entries(isRecord(value) ? value : {})) {
    const checked = check(entry);
    if (checked !== undefined && key !== '__proto__') out[key] = checked;
  }
  return out;
}

function listOf<T>(value: unknown, check: (item: unknown) => T | undefined): T[] {
  const out: T[] = [];
  if (!Array.isArray(value)) return out;
  for (const item of value as unknown[]) {
    const checked = check(item);
    if (checked !== undefined) out.push(checked);
  }
  return out;
}

/** Errors are texts, or objects with a message in the older dialect. */
function readableText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return isRecord(value) && typeof value['message'] === 'string' ? value['message'] : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const finite = (value: unknown): number | undefined => (isNumber(value) ? value : undefined);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');
