import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { commands, views } from '../../extension/identifiers.js';
import { type TestServer, startServer } from '../support/server.js';
import { shortTitle } from './support/manifest.js';
import { echo } from './support/pipelines.js';
import { engines } from './support/processes.js';
import { EditorSession } from './support/session.js';

describe('a server of one’s own', () => {
  let server: TestServer;
  let session: EditorSession;
  beforeAll(async () => {
    server = await startServer();
    session = await EditorSession.open({
      files: { 'echo.pipe.json': echo },
      settings: {
        'millrace.connections': [{ name: 'Lab', url: server.url }],
        'millrace.connection': 'Lab',
        'millrace.run.openLiveView': false,
      },
    });
  });
  afterAll(async () => {
    await session.close();
    await server.stop();
  });
  beforeEach(() => session.explainFailure());

  const lab = () => session.workbench.tree(views.connections).row('Lab');

  it('asks for a key once when it refuses the one it got', async () => {
    const { workbench } = session;
    await workbench.openContainer('Millrace');
    await workbench.tree(views.connections).choose('Lab', shortTitle(commands.setConnectionKey));
    await workbench.answer('not-the-key');
    await workbench.quickInput.widget.filter({ hasText: /refuses the key/ }).waitFor();
    await session.screenshot('connection-bad-key');
    await workbench.page.keyboard.press('Escape');
    await lab().filter({ hasText: 'Failed' }).waitFor();
  });

  it('runs pipelines with the right key, without an engine in the editor', async () => {
    const { workbench } = session;
    await workbench.tree(views.connections).choose('Lab', shortTitle(commands.setConnectionKey));
    await workbench.answer(server.key);
    await lab().filter({ hasText: 'Connected' }).waitFor();
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Send text').click();
    await workbench.answer('To the lab', 'The text goes into');
    await workbench.editor.lineIn(/Text\.result/, 'To the lab').waitFor();
    expect(engines(session.server)).toEqual([]);
    await session.screenshot('connection-good-key');
  });

  it('says that it is trying again when the server dies, and that its runs are lost when it comes back without them', async () => {
    const { workbench } = session;
    await workbench.runTitled('Notifications: Clear All Notifications');
    process.kill(server.pid, 'SIGKILL');
    await server.stop();
    await lab().filter({ hasText: 'Trying again' }).waitFor();
    await session.screenshot('connection-lost');
    const lost = workbench.notification(/The run of "echo" is lost/);
    expect(await lost.count()).toBe(0);
    const { port } = new URL(server.url);
    server = await startServer({ keys: [server.key], args: ['--port', port] });
    await lab().filter({ hasText: 'Connected' }).waitFor();
    await lost.first().waitFor();
    expect(await lost.count()).toBe(1);
    const task = workbench.tree(views.tasks).row('echo');
    await task.filter({ hasText: 'Running' }).waitFor({ state: 'detached' });
    await session.screenshot('connection-run-lost');
    await workbench.runTitled('Notifications: Clear All Notifications');
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Stop').waitFor();
  });
});

describe('servers that are no Millrace server', () => {
  const garbage = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 73) % 256));
  const noise = createTcpServer((socket) => socket.on('error', () => undefined).end(garbage));
  const website = createServer((_, response) => response.end('<h1>Welcome</h1>'));
  const babbler = createServer();
  const socketServer = new WebSocketServer({ server: babbler });
  socketServer.on('connection', (socket) => {
    socket.on('message', () => {
      socket.send(garbage);
      socket.send('{"type":"response","success":"perhaps","body":[');
      socket.send('[]');
    });
  });
  const servers: Server[] = [noise, website, babbler];
  const sockets = new Set<Socket>();
  for (const server of servers) server.on('connection', (socket: Socket) => sockets.add(socket));
  let session: EditorSession;
  beforeAll(async () => {
    const [noiseUrl, websiteUrl, babblerUrl] = await Promise.all(servers.map(listen));
    session = await EditorSession.open({
      files: { 'echo.pipe.json': echo },
      settings: {
        'millrace.connections': [
          { name: 'Noise', url: noiseUrl },
          { name: 'Website', url: websiteUrl },
          { name: 'Babbler', url: babblerUrl },
        ],
        'millrace.run.openLiveView': false,
      },
    });
    await session.workbench.openContainer('Millrace');
  });
  afterAll(async () => {
    await session.close();
    for (const socket of sockets) socket.destroy();
    await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  });
  beforeEach(() => session.explainFailure());

  it.each([
    ['Noise', 'Failed'],
    ['Website', 'Failed'],
    ['Babbler', 'Trying again'],
  ])('are told from one: %s', async (name, state) => {
    const { workbench } = session;
    const tree = workbench.tree(views.connections);
    await tree.choose(name, shortTitle(commands.setConnectionKey));
    await workbench.answer('any-key');
    await workbench
      .notification(/Millrace server/)
      .first()
      .waitFor();
    expect(await workbench.notification(/Millrace server/).count()).toBe(1);
    await tree.row(name).filter({ hasText: state }).waitFor();
    await session.screenshot(`connection-${name.toLowerCase()}`);
    await workbench.runTitled('Notifications: Clear All Notifications');
  });

  it('leave the engine of the window alone', async () => {
    const { workbench } = session;
    await workbench.open('echo.pipe.json');
    await workbench.editor.codeLens('Run').click();
    await workbench.editor.codeLens('Stop').waitFor();
  });
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
