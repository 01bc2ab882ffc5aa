import { describe, expect, it } from 'vitest';
import { emptyMetrics, TaskState } from '../../protocol/status.js';
import { changes, invoicePipeline, runInvoice, status } from '../testing/scenarios.js';
import { Simulator, beginning, task } from '../testing/simulator.js';
import { stormBatch } from '../testing/storm.js';
import { defaultBounds } from './bounds.js';
import { LiveModel } from './model.js';
import { stateWords } from './state.js';

function started(): { model: LiveModel; sim: Simulator } {
  const model = new LiveModel();
  model.apply(task(invoicePipeline));
  return { model, sim: new Simulator() };
}

const seqNo = (at: number) => ({ seqNo: at, time: beginning, text: `note ${at}` });

describe('the model of the live view', () => {
  it('adds up calls, times and errors of components from the flow', () => {
    const { model, sim } = started();
    sim.begin(0, 'a').enter(0, 'parse_1', 'tags').enter(0, 'preprocessor_1', 'text');
    model.apply(changes({ flow: sim.leave(0, 3).leave(0, 1).end(0).take() }));
    const figures = model.run?.figures;
    expect(figures?.get('preprocessor_1')).toMatchObject({ calls: 1, errors: 0 });
    expect(figures?.get('preprocessor_1')?.totalSeconds).toBeCloseTo(3, 2);
    expect(figures?.get('parse_1')?.totalSeconds).toBeCloseTo(4, 2);
    // The parser waited three of its four seconds for the preprocessor.
    expect(figures?.get('parse_1')?.share).toBeCloseTo(0.25, 2);
    expect(figures?.get('preprocessor_1')?.share).toBeCloseTo(0.75, 2);
  });

  it('takes the figures of the status where the server has seen more', () => {
    const { model, sim } = started();
    sim.begin(0, 'a').enter(0, 'parse_1', 'tags').leave(0, 1).end(0);
    const componentStats = { parse_1: { calls: 500, totalSeconds: 50, maxSeconds: 2 } };
    model.apply(changes({ flow: sim.take(), status: status({ componentStats }) }));
    expect(model.run?.figures.get('parse_1')).toMatchObject({ calls: 500, meanSeconds: 0.1, maxSeconds: 2 });
  });

  it('keeps the peaks and means of a run that is over, which the server then forgets', () => {
    const { model } = started();
    const used = {
      cpu_percent: 12,
      cpu_memory_mb: 80,
      peak_cpu_percent: 91,
      peak_cpu_memory_mb: 120,
      avg_cpu_percent: 30,
    };
    model.apply(changes({ status: status({ metrics: { ...emptyMetrics(), ...used } }) }));
    for (const exitMessage of ['', 'Told again'])
      model.apply(changes({ status: status({ completed: true, exitMessage, metrics: emptyMetrics() }) }));
    expect(model.status?.exitMessage).toBe('Told again');
    expect(model.status?.metrics).toMatchObject({ ...used, cpu_percent: 0, cpu_memory_mb: 0 });
    model.apply(task(invoicePipeline));
    model.apply(changes({ status: status({ metrics: emptyMetrics() }) }));
    expect(model.status?.metrics.peak_cpu_percent).toBe(0);
  });

  it('counts an error where it happened, not on its way out', () => {
    const { model, sim } = started();
    runInvoice(sim, 0, 'a.pdf', true);
    model.apply(changes({ flow: sim.take() }));
    const failed = [...(model.run?.components.values() ?? [])].filter(({ errors }) => errors > 0);
    expect(failed.map(({ about, errors }) => [about.id, errors])).toEqual([['llm_openai_1', 1]]);
    expect(model.run?.objects.failed).toBe(1);
    expect(model.run?.objects.at(0)?.error).toContain('429');
  });

  it('keeps what components were given and gave on, and what went over links', () => {
    const { model, sim } = started();
    runInvoice(sim, 0, 'a.pdf', false);
    model.apply(changes({ flow: sim.take() }));
    const of = (id: string) => model.run?.components.get(id);
    expect(of('webhook_1')?.outputs.newest()).toMatchObject({ lane: 'tags', peer: 'parse_1', object: 'a.pdf' });
    expect(of('preprocessor_1')?.inputs.newest()).toMatchObject({ lane: 'text', peer: 'parse_1' });
    expect(of('preprocessor_1')?.inputs.newest()?.data).toContain('Northwind');
    expect(of('llm_openai_1')?.inputs.newest()).toMatchObject({ lane: 'llm', peer: 'agent_1' });
    const traffic = model.run?.links.filter(({ traffic }) => traffic > 0).map(({ from, to }) => `${from}>${to}`);
    expect(traffic).toContain('agent_1>llm_openai_1');
    expect(traffic).toContain('webhook_1>parse_1');
    expect(traffic).not.toContain('webhook_1>agent_1');
  });

  it('shows pipes where the flow has them, and where the status has them when nothing is traced', () => {
    const { model, sim } = started();
    const byPipe = { '0': ['a.pdf', 'parse_1', 'agent_1'], '1': ['parse_1'], '2': [] };
    model.apply(changes({ status: status({ pipeflow: { totalPipes: 3, byPipe } }) }));
    const inside = (id: string) => model.run?.components.get(id)?.inside;
    expect(inside('agent_1')).toEqual([{ pipe: 0, object: 'a.pdf' }]);
    expect(inside('parse_1')).toEqual([{ pipe: 1, object: '' }]);
    model.apply(changes({ flow: sim.begin(5, 'b.pdf').enter(5, 'embedding_1', 'documents').take() }));
    expect(inside('embedding_1')).toEqual([{ pipe: 5, object: 'b.pdf' }]);
    expect(inside('agent_1')).toEqual([]);
    model.apply(changes({ flow: sim.leave(5, 0.1).take() }));
    expect(inside('webhook_1')).toEqual([{ pipe: 5, object: 'b.pdf' }]);
  });

  it('finds objects by the number of their begin event, with every step', () => {
    const { model, sim } = started();
    runInvoice(sim, 3, 'a.pdf', false);
    model.apply(changes({ flow: sim.take() }));
    const object = model.run?.objects.find(1);
    expect(object).toMatchObject({ name: 'a.pdf', pipe: 3, error: undefined });
    expect(object?.end).toBeGreaterThan(object?.begin ?? 0);
    expect(object?.spans.map(({ component, depth }) => `${depth} ${component}`).slice(3, 6)).toEqual([
      '0 parse_1',
      '1 preprocessor_1',
      '2 embedding_1',
    ]);
    expect(object?.spans.every(({ begin, end }) => end !== undefined && end >= begin)).toBe(true);
    expect(object?.result).toContain('107.10');
  });

  it('does not count an event twice when it comes again', () => {
    const { model, sim } = started();
    const flow = sim.begin(0, 'a').enter(0, 'parse_1', 'tags').leave(0, 1).end(0).take();
    model.apply(changes({ flow, errors: [seqNo(1)] }));
    model.apply(changes({ flow, errors: [seqNo(1)] }));
    expect(model.run?.figures.get('parse_1')?.calls).toBe(1);
    expect(model.run?.objects.begun).toBe(1);
    expect(model.errors.total).toBe(1);
  });

  it('stays right when events are lost', () => {
    const { model, sim } = started();
    const all = sim
      .begin(0, 'a')
      .enter(0, 'parse_1', 'tags')
      .enter(0, 'preprocessor_1', 'text')
      .leave(0, 1)
      .leave(0, 1)
      .end(0);
    all.begin(0, 'b').enter(0, 'parse_1', 'tags').leave(0, 5).end(0);
    const flow = sim.take();
    // Lost: that the preprocessor was entered, and the end of the first object.
    model.apply(
      changes({
        flow: flow.filter((_, at) => at !== 2 && at !== 5),
        lost: [
          { first: 3, last: 3 },
          { first: 6, last: 6 },
        ],
      }),
    );
    expect(model.run?.figures.get('preprocessor_1')?.calls).toBe(0);
    expect(model.run?.objects.find(1)).toMatchObject({ end: undefined, endLost: true });
    expect(model.run?.objects.find(7)?.spans).toHaveLength(1);
    expect(model.lostEvents).toBe(2);
  });

  it('follows calls of a pipe that overlap', () => {
    const { model, sim } = started();
    const enter = sim.begin(0, 'a').enter(0, 'agent_1', 'text').enter(0, 'tool_sql_1', 'invoke').take();
    const both = sim.enter(0, 'memory_1', 'invoke').take();
    const [left] = sim.leave(0, 2).take();
    // The tool returns first, although the memory was entered last.
    const flow = [...enter, ...both, ...(left ? [{ ...left, pipes: ['a', 'agent_1', 'memory_1'] }] : [])];
    model.apply(changes({ flow }));
    expect(model.run?.figures.get('tool_sql_1')?.calls).toBe(1);
    expect(model.run?.figures.get('memory_1')?.calls).toBe(0);
    expect(model.run?.components.get('memory_1')?.inside).toHaveLength(1);
  });

  it('begins anew when the task is restarted', () => {
    const { model, sim } = started();
    runInvoice(sim, 0, 'a.pdf', false);
    model.apply(changes({ flow: sim.take(), errors: [seqNo(9)], status: status({ state: TaskState.CANCELLED }) }));
    model.apply({ type: 'link', state: { kind: 'ended' } });
    model.apply(task(invoicePipeline.slice(0, 2)));
    expect(model.ended).toBe(false);
    expect(model.run?.components.size).toBe(2);
    expect(model.run?.objects.length).toBe(0);
    expect(model.errors.total).toBe(0);
    model.apply(changes({ flow: new Simulator().begin(0, 'again').take() }));
    expect(model.run?.objects.begun).toBe(1);
  });

  it('makes an object of the answer to a request, and says when it is lost', () => {
    const { model, sim } = started();
    runInvoice(sim, 0, 'a.pdf', false);
    model.apply({ type: 'trace', beginSeq: 1, events: sim.take() });
    model.apply({ type: 'traceLost', beginSeq: 2, reason: 'Too old.' });
    model.apply({ type: 'trace', beginSeq: 3, events: [] });
    expect(model.traces.get(1)).toMatchObject({ kind: 'found', object: { name: 'a.pdf' } });
    expect(model.traces.get(2)).toEqual({ kind: 'lost', reason: 'Too old.' });
    expect(model.traces.get(3)?.kind).toBe('lost');
    expect(model.run?.objects.length).toBe(0);
  });

  it('remembers no more after an hour than after a minute', () => {
    const { model } = started();
    for (let at = 0; at < 400; at++)
      model.apply({ ...stormBatch(at, 1000), errors: [seqNo(at + 1)], lost: [{ first: at, last: at }] });
    const { run, history } = model;
    expect(run?.objects.begun).toBe(400 * 125);
    expect(run?.objects.length).toBe(defaultBounds.objects);
    expect(run?.objects.spans).toBe(defaultBounds.objects * 3);
    expect(history.cpu.length).toBe(defaultBounds.samples);
    expect(model.errors.ring.length).toBe(defaultBounds.notes);
    expect(model.errors.total).toBe(400);
    expect(model.lost.length).toBe(defaultBounds.lost);
    expect(run?.components.get('parse_1')?.inputs.length).toBe(defaultBounds.recent);
    expect(run?.objects.at(0)?.spans[0]?.data.length).toBeLessThan(300);
    expect(run?.objects.find(1_000_001)).toBeUndefined();
  });

  it('keeps the steps of all objects together within one bound', () => {
    const model = new LiveModel({ ...defaultBounds, spans: 50, spansPerObject: 20 });
    model.apply(task(invoicePipeline));
    const sim = new Simulator();
    for (let object = 0; object < 10; object++) {
      sim.begin(0, `${object}`);
      for (let step = 0; step < 30; step++) sim.enter(0, 'parse_1', 'text').leave(0, 0.1);
      sim.end(0);
    }
    model.apply(changes({ flow: sim.take() }));
    const { objects } = model.run ?? {};
    expect(objects?.spans).toBeLessThanOrEqual(50);
    expect(objects?.at((objects?.length ?? 0) - 1)).toMatchObject({ name: '9', moreSpans: 10 });
    expect(model.run?.figures.get('parse_1')?.calls).toBe(300);
  });
});

describe('the words for the state', () => {
  it('tell work, waiting, ends and a lost connection apart', () => {
    const { model, sim } = started();
    const label = () => stateWords(model).label;
    expect(stateWords(new LiveModel()).label).toBe('Loading');
    model.apply(changes({ status: status() }));
    expect(label()).toBe('Waiting for work');
    model.apply(changes({ flow: sim.begin(0, 'a').take() }));
    expect(label()).toBe('Working');
    model.apply({ type: 'link', state: { kind: 'reconnecting', reason: '' } });
    expect(label()).toBe('Reconnecting');
    model.apply({ type: 'link', state: { kind: 'live' } });
    model.apply(changes({ status: status({ state: TaskState.CANCELLED, completed: true, exitCode: 1 }) }));
    expect(label()).toBe('Failed');
    model.apply(changes({ status: status({ state: TaskState.COMPLETED, completed: true }) }));
    expect(label()).toBe('Completed');
  });

  it('leaves no object in progress when the run has ended', () => {
    const { model, sim } = started();
    model.apply(changes({ flow: sim.begin(0, 'a').enter(0, 'parse_1', 'tags').take() }));
    model.apply({ type: 'link', state: { kind: 'ended' } });
    expect(model.run?.objects.at(0)?.endLost).toBe(true);
    expect(model.run?.components.get('parse_1')?.inside).toEqual([]);
    expect(stateWords(model).label).toBe('Ended');
  });
});
