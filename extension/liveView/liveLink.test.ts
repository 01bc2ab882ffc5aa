import { afterEach, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { FakeEngine } from '../../client/typescript/testing/fakeEngine.js';
import { FakeServer } from '../../client/typescript/testing/fakeServer.js';
import { MillraceError } from '../../protocol/errors.js';
import type { LinkState, ToLiveView } from '../../protocol/liveView.js';
import { eventually } from '../../test/support/poll.js';
import type { Connection, ConnectionState } from '../connections/connection.js';
import { Emitter } from '../emitter.js';
import { readKeptTask } from './keptTask.js';
import { liveHtml } from './liveHtml.js';
import { LiveLink } from './liveLink.js';

class FakeConnection implements Connection {
  readonly name = 'Here';
  readonly #changes = new Emitter<ConnectionState>();
  readonly onDidChangeState = this.#changes.event;
  state: ConnectionState = { kind: 'off', reason: 'Nobody has needed it' };
  connected: MillraceClient | undefined;
  asked = 0;

  constructor(readonly kind: 'local' | 'remote') {}

  client(): Promise<MillraceClient> {
    this.asked++;
    return this.connected === undefined
      ? Promise.reject(new MillraceError('connection_failed', 'Nobody is there', { hint: 'Start the server.' }))
      : Promise.resolve(this.connected);
  }

  become(state: ConnectionState, connected?: MillraceClient): void {
    this.state = state;
    this.connected = connected;
    this.#changes.fire(state);
  }
}

const online: ConnectionState = { kind: 'connected', url: 'ws://here', serverVersion: '1' };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startEngine() {
  const server = new FakeServer();
  const engine = new FakeEngine(server);
  server.on('get_pipeline', () => ({ pipeline: { name: 'Named', components: [{ id: 'a', provider: 'webhook' }] } }));
  const client = new MillraceClient({ uri: 'localhost', auth: 'key', transport: server.transport });
  await client.connect();
  cleanups.push(() => client.disconnect());
  const { token } = await client.use({ pipeline: { project_id: 'p', source: 'a', components: [] } });
  return { server, engine, client, token };
}

function makeLink(connection: Connection, token: string) {
  const messages: ToLiveView[] = [];
  const seen: string[] = [];
  const log = (line: string): void => void seen.push(`log ${line}`);
  const link = new LiveLink({
    connection,
    findToken: () => token,
    hasFile: true,
    traceLevel: 'full',
    post: (message) => void messages.push(message),
    openComponent: (id) => seen.push(`open ${id}`),
    showFailure: (thrown) => seen.push(`failure ${String(thrown)}`),
    log: { info: log, warn: log, error: log, debug: log },
  });
  cleanups.push(() => link.dispose());
  const links = (): LinkState[] => messages.flatMap((each) => (each.type === 'link' ? [each.state] : []));
  return { link, messages, links, seen };
}

const ready = { type: 'ready', lastSeq: 0 };

describe('the link between a panel and its task', () => {
  it('feeds the view once it is ready, and does what the view asks', async () => {
    const { engine, client, token } = await startEngine();
    const connection = new FakeConnection('local');
    connection.become(online, client);
    const { link, messages, seen } = makeLink(connection, token);
    expect(messages).toEqual([]);
    link.receive(ready);
    link.receive({ type: 'openComponent', id: 'a' });
    link.receive({ type: 'nonsense' });
    await eventually('the status is told', () => messages.some(({ type }) => type === 'changes'));
    expect(messages[0]).toMatchObject({
      type: 'task',
      name: 'Named',
      connection: 'Here',
      hasFile: true,
      traceLevel: 'full',
    });
    link.receive({ type: 'stop' });
    await eventually('the task is stopped', () => engine.tasks.get(token)?.status.completed);
    expect(seen).toEqual(['open a', expect.stringMatching(/^log .*live view/)]);
  });

  it('waits for an engine that is starting, but starts none', async () => {
    const { client, token } = await startEngine();
    const connection = new FakeConnection('local');
    connection.become({ kind: 'connecting' });
    const { link, messages } = makeLink(connection, token);
    link.receive(ready);
    connection.become(online, client);
    await eventually('the task is told', () => messages.some(({ type }) => type === 'task'));
    expect(connection.asked).toBe(0);
  });

  it('says that the engine is gone', async () => {
    const connection = new FakeConnection('local');
    const { link, links } = makeLink(connection, 'tk_1');
    link.receive(ready);
    await eventually('the failure is told', () => links().length > 0);
    expect(links()).toMatchObject([{ kind: 'failed', reason: expect.stringContaining('engine of this window') }]);
    expect(connection.asked).toBe(0);
  });

  it('says why a server cannot be reached, and goes on when it can', async () => {
    const { client, token } = await startEngine();
    const connection = new FakeConnection('remote');
    const { link, links, messages } = makeLink(connection, token);
    link.receive(ready);
    await eventually('the failure is told', () => links().length > 0);
    expect(links()).toEqual([{ kind: 'failed', reason: 'Nobody is there', hint: 'Start the server.' }]);
    connection.become(online, client);
    await eventually('the task is told', () => messages.some(({ type }) => type === 'task'));
  });

  it('tells a loss and a return, and looks for the task again when the engine is another one', async () => {
    const { client, token } = await startEngine();
    const connection = new FakeConnection('local');
    connection.become(online, client);
    const { link, links } = makeLink(connection, token);
    link.receive(ready);
    await eventually('the view is live', () => links().at(-1)?.kind === 'live');
    connection.become({ kind: 'waiting', reason: 'The engine has crashed' });
    expect(links().at(-1)).toEqual({ kind: 'reconnecting', reason: 'The engine has crashed' });
    connection.become(online, client);
    await eventually('the view is live again', () => links().at(-1)?.kind === 'live');
    const other = await startEngine();
    await other.client.terminate(other.token);
    other.engine.tasks.clear();
    connection.become(online, other.client);
    await eventually('the loss of the task is told', () => links().at(-1)?.kind === 'failed');
    expect(links().at(-1)).toMatchObject({ reason: expect.stringContaining('does not know this task') });
  });

  it('asks nothing of the server while the panel is hidden', async () => {
    const { server, client, token } = await startEngine();
    const connection = new FakeConnection('local');
    connection.become(online, client);
    const { link, links, messages } = makeLink(connection, token);
    link.receive(ready);
    await eventually('the view is live', () => links().at(-1)?.kind === 'live');
    link.hide();
    await eventually('it unsubscribes', () => {
      const last = server.calls('monitor').at(-1);
      return (last?.arguments?.types as string[] | undefined)?.length === 0;
    });
    const told = messages.length;
    link.receive(ready);
    await eventually('the task is told again', () => messages.slice(told).some(({ type }) => type === 'task'));
  });
});

describe('what the editor keeps of a panel', () => {
  it('is read back when it names a task, and nothing else is', () => {
    const task = { connection: 'Here', projectId: 'p', source: 'a', name: 'Named' };
    expect(readKeptTask({ task, view: { tab: 'flow' } })).toEqual(task);
    expect(readKeptTask({ task: { ...task, name: 3 } })).toMatchObject({ name: 'a' });
    for (const state of [undefined, null, 'x', {}, { task: 1 }, { task: { ...task, source: 1 } }]) {
      expect(readKeptTask(state)).toBeUndefined();
    }
  });
});

describe('the page of a panel', () => {
  it('allows its own script and style and nothing inline', () => {
    const html = liveHtml({ script: 'res://main.js', style: 'res://main.css', cspSource: 'res:', nonce: 'abc123' });
    expect(html).toContain(`script-src 'nonce-abc123' res:;`);
    expect(html).toContain(`default-src 'none'`);
    expect(html).toContain(`connect-src 'none'`);
    expect(html).not.toMatch(/unsafe|<style|style=| on\w+=/);
    expect([...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<script type="module" nonce="abc123" src="res://main.js">',
    ]);
  });
});
