import { MillraceError } from '../../protocol/errors.js';
import type { EngineHost } from '../engineHost/engineHost.js';
import { localConnection } from '../identifiers.js';
import type { Connection, ConnectionState } from './connection.js';
import type { ConnectionList } from './connections.js';
import { isUnprotected, nameProblem, type Profile, urlProblem } from './profiles.js';
import type { ProfileStore } from './profileStore.js';
import type { Choice, Prompts } from './prompts.js';
import { stateWord } from './stateWord.js';

/** What the commands about connections and the engine work with. */
export interface ConnectionCommandDeps {
  readonly store: ProfileStore;
  readonly connections: Pick<ConnectionList, 'all' | 'current' | 'get' | 'remote'>;
  readonly engine: Pick<EngineHost, 'start' | 'stop' | 'restart'>;
  readonly prompts: Prompts;
}

type Deps = ConnectionCommandDeps;
type Handler = (argument?: unknown) => Promise<void>;
export type ConnectionCommand =
  | 'addConnection'
  | 'chooseConnection'
  | 'testConnection'
  | 'renameConnection'
  | 'setConnectionKey'
  | 'removeConnection'
  | 'startEngine'
  | 'stopEngine'
  | 'restartEngine';

/** The commands about connections and the engine. They throw what went wrong. */
export function connectionCommands(deps: Deps): Readonly<Record<ConnectionCommand, Handler>> {
  const { engine, prompts } = deps;
  return {
    addConnection: async () => void (await addConnection(deps)),
    chooseConnection: (argument) => chooseConnection(deps, argument),
    testConnection: (argument) => testConnection(deps, argument),
    renameConnection: (argument) => renameConnection(deps, argument),
    setConnectionKey: (argument) => setConnectionKey(deps, argument),
    removeConnection: (argument) => removeConnection(deps, argument),
    startEngine: async () => void (await prompts.during('Starting the engine', () => engine.start())),
    stopEngine: () => prompts.during('Stopping the engine', () => engine.stop()),
    restartEngine: () => prompts.during('Restarting the engine', () => engine.restart()),
  };
}

/** Asks for a key because the server does not take the one it got. */
export function askForKey(prompts: Prompts, { name }: Profile, reason: string): Promise<string | undefined> {
  return askKey(prompts, `Key for ${name}`, `${reason}. Enter a key.`);
}

/** Asks for name, address and key. The name of the new connection, or undefined when the person gave up. */
async function addConnection({ store, prompts }: Deps): Promise<string | undefined> {
  const title = 'Add Connection';
  const name = await prompts.ask({
    title: `${title} (1/3)`,
    prompt: 'A name for the server',
    placeHolder: 'For example Lab',
    problem: (answer) => nameProblem(answer, store.profiles),
  });
  if (name === undefined) return undefined;
  const url = await prompts.ask({
    title: `${title} (2/3)`,
    prompt: `The address of ${name.trim()}`,
    placeHolder: 'http://127.0.0.1:5565 or wss://pipelines.example.com',
    problem: urlProblem,
  });
  if (url === undefined) return undefined;
  const warning = isUnprotected(url) ? ' This address is not encrypted, so the key can be read on the way.' : '';
  const prompt = `The key for ${name.trim()}, kept in the secret storage of the editor.${warning}`;
  const key = await askKey(prompts, `${title} (3/3)`, prompt);
  if (key === undefined) return undefined;
  const added = await store.add({ name, url }, key);
  return added.name;
}

/** On a line of the view that connection, else the one that is picked; it is connected at once. */
async function chooseConnection(deps: Deps, argument: unknown): Promise<void> {
  const { store, connections, prompts } = deps;
  const name = nameOf(argument) ?? (await pickOrAdd(deps));
  if (name === undefined) return;
  const connection = connections.get(name);
  if (store.chosen !== name) await store.choose(name);
  await prompts.during(`Connecting to ${name}`, () => connection.client());
}

async function pickOrAdd(deps: Deps): Promise<string | undefined> {
  const { connections, prompts } = deps;
  const choices: Choice<Connection | 'add'>[] = connections.all.map((connection) => ({
    label: `${connection === connections.current ? '$(check)' : '$(blank)'} ${connection.name}`,
    description: describe(connection),
    value: connection,
  }));
  choices.push({ label: '$(add) Add Connection…', value: 'add' });
  const picked = await prompts.pick('Choose Connection', 'Where pipelines of this workspace run', choices);
  return picked === 'add' ? addConnection(deps) : picked?.name;
}

/** Connects if need be, asks for a sign of life and tells how long it took. */
async function testConnection({ connections, prompts }: Deps, argument: unknown): Promise<void> {
  const name = nameOf(argument) ?? (await pickName(prompts, 'Test Connection', connections.all));
  if (name === undefined) return;
  const connection = connections.get(name);
  const ms = await prompts.during(`Testing ${name}`, async () => {
    const client = await connection.client();
    // An older server knows no ping; what it says of itself is as good a sign.
    return timed(() => client.getServerInfo());
  });
  const { state } = connection;
  const version = state.kind === 'connected' && state.serverVersion !== '' ? `version ${state.serverVersion}, ` : '';
  prompts.tell(`${name} works: ${version}${Math.max(1, Math.round(ms))} ms.`);
}

async function renameConnection({ store, prompts }: Deps, argument: unknown): Promise<void> {
  const profile = await profileFor(store, prompts, 'Rename Connection', argument);
  if (profile === undefined) return;
  const others = store.profiles.filter(({ name }) => name !== profile.name);
  const name = await prompts.ask({
    title: 'Rename Connection',
    prompt: `A new name for ${profile.name}`,
    value: profile.name,
    problem: (answer) => nameProblem(answer, others),
  });
  if (name !== undefined) await store.rename(profile.name, name);
}

/** Keeps the key and connects with it. */
async function setConnectionKey({ store, connections, prompts }: Deps, argument: unknown): Promise<void> {
  const profile = await profileFor(store, prompts, 'Set Key', argument ?? currentRemote(connections.current));
  if (profile === undefined) return;
  const key = await askKey(prompts, `Key for ${profile.name}`, 'It is kept in the secret storage of the editor.');
  if (key === undefined) return;
  await store.setKey(profile.name, key);
  const connection = connections.remote(profile.name);
  await prompts.during(`Connecting to ${profile.name}`, () => connection.reconnect());
}

async function removeConnection({ store, prompts }: Deps, argument: unknown): Promise<void> {
  const profile = await profileFor(store, prompts, 'Remove Connection', argument);
  if (profile === undefined) return;
  // The key cannot be had back, and a click on the wrong line is easy.
  const sure = await prompts.pick('Remove Connection', `Remove ${profile.name}?`, [
    { label: `Remove ${profile.name} and its key`, description: profile.url, value: true },
    { label: `Keep ${profile.name}`, value: false },
  ]);
  if (sure === true) await store.remove(profile.name);
}

/** The profile of the line that was clicked, else the one that is picked. Undefined when the person gave up. */
async function profileFor(
  store: ProfileStore,
  prompts: Prompts,
  title: string,
  argument: unknown,
): Promise<Profile | undefined> {
  const { profiles } = store;
  const name = nameOf(argument) ?? (await pickName(prompts, title, profiles));
  if (name === undefined) return undefined;
  const profile = profiles.find((each) => each.name === name);
  if (profile !== undefined) return profile;
  const isLocal = name === localConnection;
  const reason = isLocal ? `${name} is the engine inside the editor` : `There is no connection named ${name}`;
  throw new MillraceError('not_found', reason, { hint: 'This is for servers in the setting millrace.connections.' });
}

async function pickName(
  prompts: Prompts,
  title: string,
  all: readonly (Profile | Connection)[],
): Promise<string | undefined> {
  if (all.length === 0) {
    throw new MillraceError('not_found', 'There is no connection to a server yet', {
      hint: 'Add one with the command "Millrace: Add Connection…".',
    });
  }
  const choices = all.map((each) => ({
    label: each.name,
    description: 'url' in each ? each.url : describe(each),
    value: each.name,
  }));
  return prompts.pick(title, 'Choose a connection', choices);
}

async function askKey(prompts: Prompts, title: string, prompt: string): Promise<string | undefined> {
  const key = await prompts.ask({
    title,
    prompt,
    isSecret: true,
    problem: (answer) => (answer.trim() === '' ? 'Enter the key; the server printed where it is stored.' : undefined),
  });
  return key?.trim();
}

/** The name behind what a menu or another caller passes: a name, a connection or a line of the view. */
function nameOf(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument === '' ? undefined : argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  if ('connection' in argument && argument.connection !== undefined) return nameOf(argument.connection);
  return 'name' in argument && typeof argument.name === 'string' ? argument.name : undefined;
}

/** The button of a message about a refused key passes nothing, and means the server that is in use. */
function currentRemote(current: Connection): string | undefined {
  return current.kind === 'remote' ? current.name : undefined;
}

function describe({ kind, state }: Connection): string {
  return kind === 'local' ? `Engine inside the editor · ${stateText(state)}` : stateText(state);
}

function stateText(state: ConnectionState): string {
  const detail =
    state.kind === 'connected' ? state.url : 'reason' in state && state.kind !== 'off' ? state.reason : undefined;
  return detail === undefined ? stateWord(state) : `${stateWord(state)} · ${detail}`;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await action();
  return performance.now() - started;
}
