import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../test/support/server.js';
import { FakeSecrets, FakeSettings } from '../testing/connectionFakes.js';
import { type HostFixture, hostFixture } from '../testing/engineHostFixture.js';
import { recordingLog } from '../testing/recordingLog.js';
import { askForKey, connectionCommands } from './commands.js';
import { ConnectionList } from './connections.js';
import { ProfileStore } from './profileStore.js';
import type { Choice, Prompts, TextQuestion } from './prompts.js';

/** A person who answers as told and keeps what was asked. An answer is typed, or the label of a choice. */
class ScriptedPerson implements Prompts {
  readonly questions: TextQuestion[] = [];
  readonly offered: string[][] = [];
  readonly told: string[] = [];
  answers: (string | undefined)[] = [];

  ask(question: TextQuestion): Promise<string | undefined> {
    this.questions.push(question);
    const answer = this.answers.shift();
    const problem = answer === undefined ? undefined : question.problem?.(answer);
    return problem === undefined ? Promise.resolve(answer) : Promise.reject(new Error(`Not accepted: ${problem}`));
  }

  pick<T>(_title: string, _placeHolder: string, choices: readonly Choice<T>[]): Promise<T | undefined> {
    this.offered.push(choices.map(({ label, description }) => `${label} ${description ?? ''}`.trim()));
    const answer = this.answers.shift();
    return Promise.resolve(
      answer === undefined ? undefined : choices.find(({ label }) => label.includes(answer))?.value,
    );
  }

  during<T>(_title: string, action: () => Promise<T>): Promise<T> {
    return action();
  }

  tell(text: string): void {
    this.told.push(text);
  }
}

let server: TestServer;
let fixture: HostFixture;
let person: ScriptedPerson;
let settings: FakeSettings;
let secrets: FakeSecrets;
let list: ConnectionList;
let commands: ReturnType<typeof connectionCommands>;

beforeEach(async () => {
  server = await startServer();
  fixture = await hostFixture();
  person = new ScriptedPerson();
  settings = new FakeSettings([{ name: 'Lab', url: server.url }]);
  secrets = new FakeSecrets({ 'millrace.key.Lab': server.key });
  const store = new ProfileStore(settings, secrets, fixture.log);
  list = new ConnectionList({
    engine: fixture.host,
    store,
    log: recordingLog(),
    askKey: (profile, reason) => askForKey(person, profile, reason),
    mayConnect: () => true,
    setConnected: () => undefined,
  });
  commands = connectionCommands({ store, connections: list, engine: fixture.host, prompts: person });
});
afterEach(async () => {
  list.dispose();
  await fixture.close();
  await server.stop();
});

describe('the commands about connections', () => {
  it('add a server by name, address and a key that nobody sees', async () => {
    person.answers = ['Second', server.url, server.key];
    await commands.addConnection();
    expect(settings.connections).toContainEqual({ name: 'Second', url: server.url });
    expect(secrets.kept.get('millrace.key.Second')).toBe(server.key);
    expect(person.questions.map(({ isSecret }) => isSecret === true)).toEqual([false, false, true]);
    await list.get('Second').client();
  });

  it('add nothing when the person gives up or the name is taken', async () => {
    const before = settings.connections;
    person.answers = ['Second', undefined];
    await commands.addConnection();
    person.answers = ['lab'];
    await expect(commands.addConnection()).rejects.toThrow('There is a connection named lab');
    expect(settings.connections).toEqual(before);
  });

  it('choose the connection of a line of the view and connect it', async () => {
    await commands.chooseConnection({ connection: list.get('Lab') });
    expect(settings.connection).toBe('Lab');
    expect(list.current.state.kind).toBe('connected');
    expect(person.offered).toEqual([]);
  });

  it('offer every connection with its state, and a new one', async () => {
    person.answers = [undefined];
    await commands.chooseConnection();
    expect(person.offered[0]).toEqual([
      '$(check) Local Engine inside the editor · Off',
      '$(blank) Lab Off',
      '$(add) Add Connection…',
    ]);
    expect(settings.connection).toBe('Local');
  });

  it('test a connection and tell how fast it answers', async () => {
    await commands.testConnection('Lab');
    expect(person.told).toEqual([expect.stringMatching(/^Lab works: version \S+, \d+ ms\.$/)]);
  });

  it('rename a connection from its line', async () => {
    const connection = list.get('Lab');
    await connection.client();
    person.answers = ['Office'];
    await commands.renameConnection({ connection });
    expect(list.get('Office')).toBe(connection);
    expect(connection.state.kind).toBe('connected');
    expect([...secrets.kept.keys()]).toEqual(['millrace.key.Office']);
  });

  it('connect with a key that was set, and ask once more when it is refused', async () => {
    person.answers = ['not-the-key', undefined];
    await expect(commands.setConnectionKey('Lab')).rejects.toMatchObject({ code: 'auth_invalid' });
    expect(person.questions).toHaveLength(2);
    expect(person.questions[1]?.prompt).toContain('refuses the key');
    expect(list.get('Lab').state.kind).toBe('failed');
    person.answers = [server.key];
    await commands.setConnectionKey('Lab');
    expect(list.get('Lab').state.kind).toBe('connected');
  });

  it('remove a connection and its key, but only when the person means it', async () => {
    person.answers = ['Keep'];
    await commands.removeConnection('Lab');
    expect(list.all).toHaveLength(2);
    person.answers = ['Remove Lab'];
    await commands.removeConnection('Lab');
    expect(list.all).toHaveLength(1);
    expect(secrets.kept.size).toBe(0);
  });

  it('say that the engine inside the editor has no key to set', async () => {
    await expect(commands.setConnectionKey('Local')).rejects.toThrow('engine inside the editor');
  });

  it('start, restart and stop the engine', async () => {
    await commands.startEngine();
    const first = await fixture.host.start();
    await commands.restartEngine();
    expect((await fixture.host.start()).pid).not.toBe(first.pid);
    await commands.stopEngine();
    expect(fixture.host.state.kind).toBe('stopped');
  });
});
