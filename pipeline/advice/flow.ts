import { findCycle, wholeGraph } from '../graph.js';
import type { SourceChoice } from '../source.js';
import { clip, isName, quote, quoteList } from '../values.js';
import type { Advice } from './findings.js';
import { type Part, type PartLink, linkPath, pipelineOf } from './parts.js';

/** Sources whose callers wait for an answer. */
const servedSources: ReadonlySet<string> = new Set(['webhook', 'chat', 'dropper']);
/** What a pipeline may end in instead of an answer. */
const storingClasses: ReadonlySet<string> = new Set(['target', 'store', 'database']);
/** More circles than this are one mistake. */
const mostCycles = 10;

/** How data flows: where it begins, what it reaches, whether it comes back. */
export function adviseFlow(
  parts: ReadonlyMap<string, Part>,
  choice: SourceChoice | undefined,
  pipeline: Readonly<Record<string, unknown>>,
  advice: Advice,
): void {
  const starts = startsOf(choice, parts);
  if (choice?.kind === 'ambiguous') adviseAmbiguous(starts, advice);
  for (const start of starts) adviseSource(start, pipeline, advice);
  const receivers = receiversOf(parts);
  adviseReach(parts, starts, receivers, advice);
  // A broken link may be the one that leads to the answer.
  const isTorn = [...parts.values()].some((part) => part.isTorn);
  if (!isTorn) for (const start of starts) adviseAnswer(start, reach([start], receivers), advice);
  adviseCycles(parts, receivers, advice);
}

function startsOf(choice: SourceChoice | undefined, parts: ReadonlyMap<string, Part>): Part[] {
  const ids = choice?.kind === 'found' ? [choice.id] : choice?.kind === 'ambiguous' ? choice.candidates : [];
  return ids.flatMap((id) => parts.get(id) ?? []);
}

function adviseAmbiguous(candidates: readonly Part[], advice: Advice): void {
  const [first] = candidates;
  if (first === undefined) return;
  const ids = candidates.map(({ id }) => id);
  const message = `Several components could be the source: ${quoteList(ids)}. Name one as "source" of the pipeline, or choose one at each start`;
  advice.add(
    'source_ambiguous',
    message,
    { path: [...first.path, 'id'] },
    {
      related: candidates
        .slice(1)
        .map((each) => ({ path: [...each.path, 'id'], message: `${quote(each.id)} is one too` })),
      data: { candidates: ids },
    },
  );
}

function adviseSource(
  { id, definition, path }: Part,
  pipeline: Readonly<Record<string, unknown>>,
  advice: Advice,
): void {
  if (definition === undefined || Object.hasOwn(definition.lanes, '_source')) return;
  const message = `Component ${quote(id)} (${definition.title}) is the source, but brings nothing in; begin with a source such as webhook, chat or filesys`;
  const place = isName(pipeline.source) ? ['source'] : [...path, 'config', 'mode'];
  advice.add('source_not_source', message, { path: place }, { component: id });
}

type Receivers = ReadonlyMap<string, readonly { readonly part: Part; readonly isInput: boolean }[]>;

function receiversOf(parts: ReadonlyMap<string, Part>): Receivers {
  const receivers = new Map<string, { part: Part; isInput: boolean }[]>();
  const add = (from: string, part: Part, isInput: boolean): void => {
    const known = receivers.get(from);
    if (known === undefined) receivers.set(from, [{ part, isInput }]);
    else known.push({ part, isInput });
  };
  for (const part of parts.values()) {
    for (const { from } of part.input) add(from, part, true);
    for (const { from } of part.control) add(from, part, false);
  }
  return receivers;
}

function reach(starts: Iterable<Part>, receivers: Receivers): Set<Part> {
  const reached = new Set(starts);
  for (const { id } of reached) for (const { part } of receivers.get(id) ?? []) reached.add(part);
  return reached;
}

function adviseReach(
  parts: ReadonlyMap<string, Part>,
  starts: readonly Part[],
  receivers: Receivers,
  advice: Advice,
): void {
  if (starts.length === 0) return;
  const reached = reach(starts, receivers);
  if (reached.size === parts.size) return;
  // What hangs on a broken link would be reached without the mistake; what another source feeds is for that one.
  const excused = [...parts.values()].filter(({ isTorn }) => isTorn);
  const others = [...parts.values()].filter(({ isSource }) => isSource);
  const beyond = reach(excused, receivers);
  const fed = reach(others, receivers);
  const from = starts.length === 1 ? `from ${quote(starts[0]?.id ?? '')}` : 'from any source';
  for (const part of parts.values()) {
    if (reached.has(part) || beyond.has(part)) continue;
    if (fed.has(part) && !others.includes(part)) continue;
    const message = `Component ${quote(part.id)} does not run: nothing leads to it ${from}`;
    advice.add('unreachable', message, { path: [...part.path, 'id'] }, { component: part.id, tags: ['unnecessary'] });
  }
}

function adviseAnswer(source: Part, reached: ReadonlySet<Part>, advice: Advice): void {
  if (!servedSources.has(source.definition?.id ?? '')) return;
  for (const { definition } of reached) {
    if (definition === undefined || definition.id.startsWith('response')) return;
    if (source.definition?.id !== 'chat' && definition.classType.some((each) => storingClasses.has(each))) return;
  }
  const message = `Nothing is returned to the caller: no response component is reached from ${quote(source.id)}`;
  advice.add('no_response', message, { path: [...source.path, 'id'] }, { component: source.id });
}

function adviseCycles(parts: ReadonlyMap<string, Part>, receivers: Receivers, advice: Advice): void {
  let left = stuck(parts, receivers);
  for (let count = 0; left.size > 0 && count < mostCycles; count++) {
    const cycle = findCycle(wholeGraph(pipelineOf(left)));
    if (cycle === undefined) return;
    adviseCycle(cycle, parts, advice);
    left = stuck(new Map([...left].filter(([id]) => !cycle.includes(id))), receivers);
  }
}

function adviseCycle(cycle: readonly string[], parts: ReadonlyMap<string, Part>, advice: Advice): void {
  const steps = cycle.slice(1).flatMap((id, at): { part: Part; link: PartLink }[] => {
    const part = parts.get(id);
    const link = part?.input.find(({ from }) => from === cycle[at]);
    return part === undefined || link === undefined ? [] : [{ part, link }];
  });
  const last = steps.at(-1);
  if (last === undefined) return;
  const shown = cycle.length <= 20 ? cycle : [...cycle.slice(0, 10), '…', ...cycle.slice(-9)];
  const message = `The components form a cycle: ${shown.map((id) => clip(id)).join(' → ')}. Remove one of these input links`;
  const related = steps.slice(0, 50).map(({ part, link }) => ({
    path: [...linkPath(part, link), 'from'],
    message: `${quote(part.id)} takes ${quote(link.type)} from ${quote(link.from)}`,
  }));
  const data = { cycle: cycle.slice(0, -1) };
  advice.add(
    'cycle',
    message,
    { path: [...linkPath(last.part, last.link), 'from'] },
    { component: last.part.id, related, data },
  );
}

/** The components on a circle of input links, and those behind one. Links of a component to itself do not count. */
function stuck(parts: ReadonlyMap<string, Part>, receivers: Receivers): Map<string, Part> {
  const waiting = new Map<string, number>();
  const ready: string[] = [];
  for (const { id, input } of parts.values()) {
    const count = input.reduce((sum, { from }) => (from !== id && parts.has(from) ? sum + 1 : sum), 0);
    if (count === 0) ready.push(id);
    else waiting.set(id, count);
  }
  for (let id = ready.pop(); id !== undefined; id = ready.pop()) {
    for (const { part, isInput } of receivers.get(id) ?? []) {
      const count = waiting.get(part.id);
      if (!isInput || part.id === id || count === undefined) continue;
      if (count > 1) waiting.set(part.id, count - 1);
      else {
        waiting.delete(part.id);
        ready.push(part.id);
      }
    }
  }
  return new Map(
    [...waiting.keys()].flatMap((id) => {
      const part = parts.get(id);
      return part === undefined ? [] : [[id, { ...part, input: part.input.filter(({ from }) => from !== id) }]];
    }),
  );
}
