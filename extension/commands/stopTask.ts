import { MillraceError } from '../../protocol/errors.js';
import type { Connection } from '../connections/connection.js';
import type { CommandDeps } from './dependencies.js';
import { tokenOf } from './target.js';

/** `Stop Task`, whoever started it. */
export async function stopTask(
  { runs, connections }: Pick<CommandDeps, 'runs' | 'connections'>,
  argument: unknown,
): Promise<void> {
  const token = tokenOf(argument);
  if (token === undefined)
    throw new MillraceError('token_required', 'No task is selected.', { hint: 'Select a task.' });
  const own = runs.all.find(({ info }) => info.token === token);
  if (own !== undefined) return runs.stop(own);
  const client = await (connectionOf(argument) ?? connections.current).client();
  await client.terminate(token);
}

/** Tasks are shown of the current connection, but it may have changed since the line was drawn. */
function connectionOf(argument: unknown): Connection | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const task: unknown = 'task' in argument ? argument.task : argument;
  if (typeof task !== 'object' || task === null || !('connection' in task)) return undefined;
  const { connection } = task;
  return typeof connection === 'object' && connection !== null ? (connection as Connection) : undefined;
}
