import { describe, expect, it } from 'vitest';
import { EventBit } from '../../protocol/events.js';
import type { EventBatch, EventScope, TaskEvent } from '../tasks/events.js';
import type { Principal } from '../tasks/service.js';
import { EventHub, maySee, type Subscriber } from './hub.js';
import { Subscriptions, taskKey } from './subscriptions.js';

const { SUMMARY, FLOW, SSE, OUTPUT, DASHBOARD, ALL, NONE } = EventBit;
const scope: EventScope = { id: 'abc.in', token: 'tk_1', keyId: 'alice', projectId: 'P', source: 'in' };
const alice: Principal = { kind: 'key', keyId: 'alice' };
const bob: Principal = { kind: 'key', keyId: 'bob' };
const task: Principal = { kind: 'task', keyId: 'alice', token: 'tk_1' };
const other: Principal = { kind: 'task', keyId: 'alice', token: 'tk_2' };
const page: Principal = { kind: 'public', keyId: 'alice', token: 'tk_1' };

describe('a subscription', () => {
  it('is the union of its keys, each of which is replaced as a whole', () => {
    const wanted = new Subscriptions();
    expect(wanted.set('*', OUTPUT)).toBe(OUTPUT);
    expect(wanted.set(taskKey('P', 'in'), SUMMARY | FLOW)).toBe(SUMMARY | FLOW);
    expect(wanted.set(taskKey('P', '*'), SSE)).toBe(SSE);
    expect(wanted.interest(scope)).toBe(OUTPUT | SUMMARY | FLOW | SSE);
    expect(wanted.interest({ ...scope, source: 'x' })).toBe(OUTPUT | SSE);
    expect(wanted.interest({ ...scope, projectId: 'Q' })).toBe(OUTPUT);
    expect(wanted.set(taskKey('P', 'in'), SUMMARY | SSE)).toBe(SSE);
    expect(wanted.interest(scope)).toBe(OUTPUT | SUMMARY | SSE);
    expect(wanted.set(taskKey('P', 'in'), NONE)).toBe(0);
    expect(wanted.all().map(({ key }) => key)).toEqual(['*', 'p.P.*']);
    wanted.clear();
    expect(wanted.interest(scope)).toBe(0);
  });

  it('sent again brings nothing new', () => {
    const wanted = new Subscriptions();
    wanted.set('*', SUMMARY);
    expect(wanted.set('*', SUMMARY)).toBe(0);
  });

  it('to one pipe is for events of that pipe only', () => {
    const wanted = new Subscriptions();
    wanted.set(`${taskKey('P', 'in')}.3`, SSE);
    expect(wanted.interest(scope)).toBe(0);
    expect(wanted.interest(scope, 2)).toBe(0);
    expect(wanted.interest(scope, 3)).toBe(SSE);
    expect(wanted.interestInPipes(scope)).toBe(SSE);
    expect(wanted.interestInPipes({ ...scope, source: 'i' })).toBe(0);
    expect(wanted.server).toBe(0);
  });
});

describe('who may see an event', () => {
  it.each<[string, Principal | undefined, number, boolean]>([
    ['nobody without a login', undefined, SUMMARY, false],
    ['the key that started the task', alice, SUMMARY, true],
    ['no other key', bob, SUMMARY, false],
    ["the task's own token", task, FLOW, true],
    ['no token of another task', other, FLOW, false],
    ['no public key', page, FLOW, false],
    ['a public key, if it is about its own data', page, SSE, true],
  ])('%s', (_, principal, bit, allowed) => {
    expect(maySee(principal, scope, bit)).toBe(allowed);
  });
});

class Reader implements Subscriber {
  readonly wanted = new Subscriptions();
  readonly got: string[] = [];

  constructor(readonly principal: Principal | undefined) {
    this.wanted.set('*', ALL);
  }

  get serverInterest(): number {
    return this.wanted.server;
  }

  interest(of: EventScope, pipe: number | undefined): number {
    return this.wanted.interest(of, pipe);
  }

  interestInAny(of: EventScope): number {
    return this.wanted.interestInPipes(of);
  }

  taskEvent({ name, seqNo }: TaskEvent): void {
    this.got.push(`${name} ${seqNo}`);
  }

  taskEvents({ name, firstSeq, lastSeq }: EventBatch): void {
    this.got.push(`${name} ${firstSeq}-${lastSeq}`);
  }

  serverEvent(name: string, body: object): void {
    this.got.push(`${name} ${(body as { action: string }).action}`);
  }
}

describe('the hub', () => {
  const event: TaskEvent = { name: 'apaevt_sse', scope, seqNo: 1, body: '{}', pipe: 3 };

  it('delivers an event once to each who wants and may see it', () => {
    const hub = new EventHub(() => 0);
    const readers = [alice, bob, task, other, page, undefined].map((principal) => new Reader(principal));
    for (const reader of readers) hub.add(reader);
    readers[0]?.wanted.set(taskKey('P', 'in'), ALL);
    hub.emit(event);
    hub.emit({ ...event, name: 'apaevt_flow', seqNo: 2 });
    const both = ['apaevt_sse 1', 'apaevt_flow 2'];
    expect(readers.map(({ got }) => got)).toEqual([both, [], both, [], ['apaevt_sse 1'], []]);
  });

  it('delivers a batch to each who wants some of its events and may see them', () => {
    const hub = new EventHub(() => 0);
    const readers = [alice, bob, task, page].map((principal) => new Reader(principal));
    for (const reader of readers) hub.add(reader);
    readers[0]?.wanted.set('*', 0);
    readers[0]?.wanted.set(`${taskKey('P', 'in')}.7`, FLOW);
    readers[2]?.wanted.set('*', SUMMARY);
    hub.emitBatch({ name: 'apaevt_flow', scope, firstSeq: 3, lastSeq: 5, size: 9, events: () => [] });
    expect(readers.map(({ got }) => got)).toEqual([['apaevt_flow 3-5'], [], [], []]);
  });

  it('wants an event only if somebody does', () => {
    const hub = new EventHub(() => 0);
    const reader = new Reader(alice);
    expect(hub.wants(scope, FLOW)).toBe(false);
    hub.add(reader);
    expect(hub.wants(scope, FLOW)).toBe(true);
    expect(hub.wants({ ...scope, keyId: 'bob' }, FLOW)).toBe(false);
    reader.wanted.set('*', SUMMARY);
    expect(hub.wants(scope, FLOW)).toBe(false);
    reader.wanted.set(`${taskKey('P', 'in')}.7`, FLOW);
    expect(hub.wants(scope, FLOW)).toBe(true);
    hub.remove(reader);
    expect(hub.wants(scope, FLOW)).toBe(false);
  });

  it('tells dashboards of their own key, and nobody who is not logged in with a key', () => {
    const hub = new EventHub(() => 0);
    const readers = [alice, bob, task, page, undefined].map((principal) => new Reader(principal));
    for (const reader of readers) hub.add(reader);
    readers[1]?.wanted.set('*', ALL & ~DASHBOARD);
    hub.failed(scope, 1, 'no more');
    hub.removed(scope);
    hub.dashboard('auth_failed', {});
    expect(readers.map(({ got }) => got)).toEqual([
      ['apaevt_dashboard task_error', 'apaevt_dashboard task_removed', 'apaevt_dashboard auth_failed'],
      [],
      [],
      [],
      [],
    ]);
  });
});
