import { MillraceError } from '../../../protocol/errors.js';
import type { ObjectRequest, OpenPipe, RunningTask, TaskService } from '../../tasks/service.js';
import { type Call, type Caller, type CommandTable, extension, JsonText } from '../command.js';
import { isRecord } from '../../../pipeline/values.js';
import { textField, wrongField } from '../fields.js';
import { findTask } from './tasks.js';

/** The pipes a connection has open, by task and by pipe number or by the name the client chose. */
type Pipes = Map<string, OpenPipe | Promise<OpenPipe>>;

/** Characters of a reason that are kept. */
const reasonLength = 500;

/** Sending data: open, write and close or abandon of a pipe, and `send`, which is open, write and close in one message. */
export function processCommands(tasks: TaskService): CommandTable {
  const byConnection = new WeakMap<Caller, Pipes>();
  const pipesOf = (connection: Caller): Pipes => {
    let pipes = byConnection.get(connection);
    if (pipes === undefined) {
      pipes = new Map();
      byConnection.set(connection, pipes);
      const opened = pipes;
      // A client that is gone cannot close its pipes; they are freed at once.
      connection.onClose(() => {
        for (const pipe of opened.values())
          void Promise.resolve(pipe)
            .then((open) => open.abandon('The client disconnected'))
            .catch(() => undefined);
        opened.clear();
      });
    }
    return pipes;
  };
  return {
    process: extension((call) => {
      const task = findTask(tasks, call, 'data');
      switch (call.arguments.subcommand) {
        case 'send':
          return send(task, call);
        case 'open':
          return open(task, call, pipesOf(call.connection));
        case 'write':
          return write(task, call, pipesOf(call.connection));
        case 'close':
          return close(task, call, pipesOf(call.connection));
        case 'abandon':
          return abandon(task, call, pipesOf(call.connection));
        default:
          throw new MillraceError('unknown_command', `Invalid subcommand ${shown(call.arguments.subcommand)}`, {
            hint: 'Use open, write, close, abandon or send.',
          });
      }
    }),
  };
}

async function send(task: RunningTask, call: Call): Promise<JsonText> {
  return new JsonText(await task.send(readObject(call), dataOf(call)));
}

async function open(task: RunningTask, call: Call, pipes: Pipes): Promise<object> {
  const name = call.arguments.pipe;
  if (name !== undefined && (typeof name !== 'string' || name === '' || name.length > 200)) {
    throw wrongField('pipe', 'must be a string of 1 to 200 characters');
  }
  const request = readObject(call);
  if (name !== undefined) {
    const key = namedKey(task, name);
    if (pipes.has(key)) throw new MillraceError('invalid_argument', `There is already a pipe called "${name}"`);
    const opening = task.open(request, call.connection.cancellation);
    pipes.set(key, opening);
    opening.catch(() => pipes.delete(key));
    return { pipe_id: (await opening).id, pipe: name };
  }
  const pipe = await task.open(request, call.connection.cancellation);
  if (call.connection.cancellation.cancelled) void pipe.abandon('The client disconnected');
  else pipes.set(numberKey(task, pipe.id), pipe);
  return { pipe_id: pipe.id };
}

/** A pipe that is open already is written to in this very turn. */
function write(task: RunningTask, call: Call, pipes: Pipes): Promise<void> {
  const { pipe } = findPipe(task, call, pipes, 'Write');
  const data = dataOf(call);
  return pipe instanceof Promise ? pipe.then((open) => open.write(data)) : pipe.write(data);
}

async function close(task: RunningTask, call: Call, pipes: Pipes): Promise<JsonText> {
  const { key, pipe } = findPipe(task, call, pipes, 'Close');
  pipes.delete(key);
  const open = pipe instanceof Promise ? await pipe : pipe;
  return new JsonText(await open.close());
}

/** A pipe that is not open any more needs nothing, so that whoever gives up need not know how far things came. */
async function abandon(task: RunningTask, call: Call, pipes: Pipes): Promise<void> {
  const key = pipeKey(task, call);
  // A client that gives its object up must not be refused over the words.
  const reason = textField(call.arguments, 'reason')?.slice(0, reasonLength);
  const pipe = pipes.get(key);
  if (pipe === undefined) return;
  pipes.delete(key);
  const open = pipe instanceof Promise ? await pipe.catch(() => undefined) : pipe;
  await open?.abandon(reason ?? 'The client gave the object up');
}

function findPipe(
  task: RunningTask,
  call: Call,
  pipes: Pipes,
  what: string,
): { key: string; pipe: OpenPipe | Promise<OpenPipe> } {
  const key = pipeKey(task, call);
  const pipe = pipes.get(key);
  // A pipe of another connection answers like one that does not exist.
  if (pipe === undefined) {
    const { pipe: name, pipe_id: id } = call.arguments;
    throw new MillraceError('pipe_not_found', `${what} pipe with id ${shown(name ?? id)} not found`);
  }
  return { key, pipe };
}

/** Where the pipe stands that a call names. */
function pipeKey(task: RunningTask, call: Call): string {
  const { pipe: name, pipe_id: id } = call.arguments;
  if (typeof name === 'string') return namedKey(task, name);
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) {
    throw new MillraceError('invalid_argument', 'No pipe_id specified');
  }
  return numberKey(task, id);
}

function readObject(call: Call): ObjectRequest {
  const { object, mimeType } = call.arguments;
  if (!isRecord(object)) throw new MillraceError('invalid_argument', 'No object info specified');
  if (typeof mimeType !== 'string' || mimeType === '')
    throw new MillraceError('invalid_argument', 'No mimeType specified');
  return { object, mimeType, provider: textField(call.arguments, 'provider'), dialect: call.dialect };
}

function dataOf(call: Call): Uint8Array {
  if (call.data !== undefined) return call.data;
  const { data } = call.arguments;
  if (typeof data === 'string') return Buffer.from(data);
  throw new MillraceError('invalid_argument', 'No data specified');
}

function numberKey({ info }: RunningTask, id: number): string {
  return `${info.token} ${id}`;
}

function namedKey({ info }: RunningTask, name: string): string {
  return `${info.token} "${name}`;
}

function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : typeof value;
}
