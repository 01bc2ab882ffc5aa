import type { FlowBody } from '../../protocol/events.js';
import type { LiveChanges, LiveComponent, LiveNote, ToLiveView } from '../../protocol/liveView.js';
import { TaskState, emptyMetrics, emptyStatus } from '../../protocol/status.js';
import type { SlowDoc, TaskStatus } from '../../protocol/status.js';
import { Simulator, beginning, component, task } from './simulator.js';

export const invoicePipeline: readonly LiveComponent[] = [
  component('webhook_1', 'Invoices come in'),
  component('parse_1', 'Read documents', 'tags:webhook_1'),
  component('preprocessor_1', 'Split into chunks', 'text:parse_1', 'table:parse_1'),
  component('embedding_1', 'Embed', 'documents:preprocessor_1'),
  component('agent_1', 'Find amounts', 'questions:webhook_1', 'documents:embedding_1'),
  component('llm_openai_1', 'Language model', 'llm!agent_1'),
  component('memory_1', 'Notes', 'memory!agent_1'),
  component('tool_sql_1', 'Ledger', 'tool!agent_1'),
  component('response_1', 'Answers', 'answers:agent_1', 'text:parse_1'),
];

export const changes = (change: Partial<LiveChanges> = {}): LiveChanges => ({
  type: 'changes',
  flow: [],
  errors: [],
  warnings: [],
  lost: [],
  ...change,
});

export function status(change: Partial<TaskStatus> = {}): TaskStatus {
  return { ...emptyStatus('project-1', 'webhook_1'), state: TaskState.RUNNING, startTime: beginning, ...change };
}

const invoiceText =
  'Invoice 2041\nNorthwind Traders, 12 Harbour Road\n\nPosition   Amount   Price\nPaper      12       4.20\n<b>Ink</b>        3        18.90\n\nTotal 107.10 EUR, payable within 14 days.';

/** One document through the invoice pipeline. Every ninth fails at the model. */
export function runInvoice(sim: Simulator, pipe: number, name: string, fails: boolean): void {
  const slow = 0.4 + sim.chance();
  sim.begin(pipe, name);
  for (const id of ['parse_1', 'agent_1', 'response_1']) sim.enter(pipe, id, 'open').leave(pipe, 0.0004);
  sim.enter(pipe, 'parse_1', 'tags', { action: 'write', mimeType: 'application/pdf', bufferSize: 48_213 });
  sim.time += 0.12 * slow;
  sim.enter(pipe, 'preprocessor_1', 'text', { length: invoiceText.length, text: invoiceText });
  sim.time += 0.02;
  sim.enter(pipe, 'embedding_1', 'documents', { count: 3, documents: [{ page_content: invoiceText.slice(0, 60) }] });
  sim.time += 0.2 * slow;
  sim.enter(pipe, 'agent_1', 'documents', { count: 3, documents: [{ page_content: 'Total 107.10 EUR', score: 0.91 }] });
  sim.invoke(pipe, 'memory_1', 'memory', { classType: 'memory', operation: 'get', parameter: { key: 'customer' } });
  sim.leave(pipe, 0.008);
  const question = {
    classType: 'llm',
    operation: 'ask',
    parameter: { questions: ['What is the total of this invoice?'] },
  };
  sim.invoke(pipe, 'llm_openai_1', 'llm', question);
  if (fails) {
    const error = 'The model refused the request: too many requests (429). Try again in 20 seconds.';
    sim.leave(pipe, 0.6, error);
    for (let at = 0; at < 4; at++) sim.leave(pipe, 0.001, error);
    sim.end(pipe, { objectId: name, error: { message: error, code: 'component_failed', component: 'llm_openai_1' } });
    return;
  }
  sim.leave(pipe, 0.7 * slow);
  sim.invoke(pipe, 'tool_sql_1', 'tool', {
    classType: 'tool',
    operation: 'call',
    parameter: { customer: 'Northwind' },
  });
  sim.leave(pipe, 0.03);
  sim.enter(pipe, 'response_1', 'answers', { answers: ['107.10 EUR'] }).leave(pipe, 0.001);
  for (let at = 0; at < 4; at++) sim.leave(pipe, 0.004);
  sim.end(pipe, { objectId: name, result_types: { answers: 'answers' }, answers: ['107.10 EUR'] });
}

/** A document in the middle of its way. */
function openInvoice(sim: Simulator, pipe: number, name: string, depth: number): void {
  const way = ['parse_1', 'preprocessor_1', 'embedding_1', 'agent_1'];
  sim.begin(pipe, name);
  for (const id of way.slice(0, depth)) sim.enter(pipe, id, 'text', { length: 20, text: 'Invoice 2042' });
  if (depth > way.length) sim.invoke(pipe, 'llm_openai_1', 'llm', { operation: 'ask' });
}

const slowDocs = (flow: readonly FlowBody[]): SlowDoc[] => {
  const begins = new Map<number, FlowBody>();
  const docs = flow.flatMap((event): SlowDoc[] => {
    if (event.op === 'begin') begins.set(event.id, event);
    const begin = begins.get(event.id);
    if (event.op !== 'end' || begin === undefined) return [];
    const elapsed = event.time - begin.time;
    return [{ name: begin.pipes[0] ?? '', elapsed, beginTime: begin.time, beginSeq: begin.seqNo }];
  });
  return docs.sort((a, b) => b.elapsed - a.elapsed).slice(0, 8);
};

/** Statuses with a course that a sparkline can show. */
export function statuses(sim: Simulator, count: number, last: Partial<TaskStatus>): LiveChanges[] {
  return Array.from({ length: count }, (_, at) => {
    const load = 0.55 + 0.3 * Math.sin(at / 6) + 0.15 * sim.chance();
    const metrics = {
      ...emptyMetrics(),
      cpu_percent: 78 * load,
      cpu_memory_mb: 380 + 90 * Math.sin(at / 15) + 10 * sim.chance(),
      gpu_memory_mb: 0,
      peak_cpu_percent: 91.4,
      peak_cpu_memory_mb: 512,
      avg_cpu_percent: 47,
      avg_cpu_memory_mb: 402,
    };
    const base = status({ rateCount: 34 * load, rateSize: 1_640_000 * load, metrics });
    return changes({ status: at === count - 1 ? { ...base, ...last } : base });
  });
}

const note = (seqNo: number, text: string): LiveNote => ({ seqNo, time: beginning + seqNo, text });

function working(): ToLiveView[] {
  const sim = new Simulator();
  for (let at = 0; at < 40; at++) {
    sim.time += at === 25 ? 4.2 : 0.05;
    runInvoice(sim, at % 4, `invoices/2026/march/invoice-${2000 + at}.pdf`, at % 9 === 8);
  }
  const done = [...sim.events];
  [1, 2, 4, 5].forEach((depth, pipe) =>
    openInvoice(sim, pipe, `invoices/2026/april/invoice-${2050 + pipe}.pdf`, depth),
  );
  const last: Partial<TaskStatus> = {
    totalCount: 20_000,
    completedCount: 12_480,
    failedCount: 4,
    totalSize: 961_000_000,
    completedSize: 602_400_000,
    failedSize: 192_000,
    currentObject: 'invoices/2026/april/invoice-2053.pdf',
    currentSize: 48_213,
    pipeflow: { totalPipes: 4, byPipe: { '0': ['invoices/2026/april/invoice-2050.pdf', 'parse_1'] } },
    tokens: {
      cpu_utilization: 412.5,
      cpu_memory: 96.2,
      gpu_memory: 0,
      gpu_inference: 0,
      custom: { 'gpt-4o input': 18_240 },
      total: 18_748.7,
    },
    slowestDocs: slowDocs(done),
    completionSeconds: 2794,
    idleSeconds: 41.6,
    idleLongestSeconds: 4.2,
    idleLongestAt: beginning + 31,
    status: 'Reading invoices',
  };
  return [
    task(invoicePipeline),
    changes({
      flow: sim.take(),
      errors: [8, 17, 26, 35].map((at) =>
        note(at, `invoice-${2000 + at}.pdf: the model refused the request: too many requests (429).`),
      ),
    }),
    changes({ warnings: [note(40, 'invoice-2012.pdf has no text on page 3; it was read by OCR.')] }),
    ...statuses(sim, 120, last),
  ];
}

const longName = 'quarterly reports of all departments, scanned, with appendices and handwritten remarks '.repeat(4);

/** 50 components, 64 pipes, thousands of objects, long names. */
export function crowdedPipeline(): LiveComponent[] {
  return Array.from({ length: 50 }, (_, at) => {
    if (at === 0) return component('filesys_0', 'All files of the archive');
    if (at % 10 === 9) return component(`llm_${at}`, `Model ${at}`, `llm!step_${at - 2}`);
    const from = at <= 4 ? 'filesys_0' : at % 10 === 0 ? `step_${at - 4}` : `step_${Math.max(1, at - 3 - (at % 3))}`;
    const named = /_(9|19|29|39|49)$/.test(from) ? `step_${Number(from.slice(5)) - 1}` : from;
    const title = at % 7 === 0 ? `Step ${at} ${longName.slice(0, 80)}` : `Step ${at}`;
    return component(`step_${at}`, title, `text:${named}`, ...(at % 11 === 0 ? [`documents:step_${at - 5}`] : []));
  });
}

function crowded(): ToLiveView[] {
  const sim = new Simulator();
  const components = crowdedPipeline();
  const steps = components.slice(1, 40).map(({ id }) => id);
  for (let at = 0; at < 3000; at++) {
    const name = at % 5 === 0 ? `${longName}${at}` : `archive/${at}.tiff`;
    sim.begin(at % 64, name).enter(at % 64, steps[at % 39] ?? '', 'text', { text: 'x'.repeat(500) });
    sim.leave(at % 64, 0.002 + sim.chance() * 0.05, at % 31 === 0 ? 'Unreadable' : undefined).end(at % 64);
  }
  for (let pipe = 0; pipe < 64; pipe++) {
    sim.begin(pipe, `archive/open-${pipe}.tiff`);
    sim.enter(pipe, pipe < 24 ? 'step_3' : (steps[pipe % 20] ?? ''), 'text', { text: 'open' });
  }
  const many = Array.from({ length: 400 }, (_, at) =>
    note(at + 1, `archive/${at}.tiff: unreadable. ${at % 3 === 0 ? longName : ''}`),
  );
  const slowestDocs = slowDocs(sim.events);
  const last = {
    slowestDocs,
    pipeflow: { totalPipes: 64, byPipe: {} },
    completedCount: 1_284_311,
    failedCount: 4_120,
    totalCount: 0,
    completedSize: 3.2e12,
    rateCount: 2480,
  };
  return [
    task(components, { name: `Archive of the ${longName}`, traceLevel: 'summary' }),
    changes({ flow: sim.take(), errors: many, warnings: many }),
    ...statuses(sim, 300, last),
  ];
}

const traced = (): ToLiveView[] => working();

/** The working run with its last figures, and then what became of it. */
function finished(change: Partial<TaskStatus>): ToLiveView[] {
  const messages = working();
  const last = messages.findLast((message) => message.type === 'changes' && message.status !== undefined);
  const before = last?.type === 'changes' ? last.status : undefined;
  const quiet = { completed: true, rateCount: 0, rateSize: 0, currentObject: '', currentSize: 0, status: '' };
  const pipeflow = { totalPipes: 4, byPipe: {} };
  return [
    ...messages,
    changes({ status: { ...status(), ...before, ...quiet, pipeflow, ...change } }),
    { type: 'link', state: { kind: 'ended' } },
  ];
}

/** Everything the view can be asked to show, by name. */
export const scenarios: Record<string, () => ToLiveView[]> = {
  loading: () => [],
  starting: () => [task(invoicePipeline), changes({ status: status({ state: TaskState.INITIALIZING }) })],
  empty: () => [task(invoicePipeline), changes({ status: status({ pipeflow: { totalPipes: 0, byPipe: {} } }) })],
  working,
  untraced: () => [
    task(invoicePipeline, { traceLevel: undefined }),
    ...statuses(new Simulator(), 60, {
      completedCount: 120,
      pipeflow: { totalPipes: 2, byPipe: { '0': ['parse_1', 'agent_1'], '1': ['parse_1'] } },
    }),
  ],
  crowded,
  reconnecting: () => [
    ...traced(),
    { type: 'link', state: { kind: 'reconnecting', reason: 'The server closed the connection.' } },
  ],
  failed: () => [
    ...traced(),
    {
      type: 'link',
      state: {
        kind: 'failed',
        reason: 'The server refused the key.',
        hint: 'Enter a new key and open this view again.',
      },
    },
  ],
  lost: () => [
    ...traced(),
    changes({
      lost: [
        { first: 40, last: 60 },
        { first: 5000, last: 6204 },
      ],
    }),
  ],
  ended: () =>
    finished({
      state: TaskState.COMPLETED,
      endTime: beginning + 745,
      completedCount: 19_996,
      completedSize: 960_800_000,
    }),
  crashed: () =>
    finished({
      state: TaskState.CANCELLED,
      endTime: beginning + 62,
      exitCode: 134,
      exitMessage: 'The worker ran out of memory. Raise the setting for its memory or use fewer pipes.',
    }),
};
