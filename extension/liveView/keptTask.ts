import { isRecord } from '../../pipeline/values.js';

/** Which task a panel was about, as webview/host.ts keeps it. Without the token, which is a credential. */
export interface KeptTask {
  readonly connection: string;
  readonly projectId: string;
  readonly source: string;
  readonly name: string;
}

export function readKeptTask(state: unknown): KeptTask | undefined {
  const task = isRecord(state) ? state.task : undefined;
  if (!isRecord(task)) return undefined;
  const { connection, projectId, source, name } = task;
  if (typeof connection !== 'string' || typeof projectId !== 'string' || typeof source !== 'string') return undefined;
  return { connection, projectId, source, name: typeof name === 'string' && name !== '' ? name : source };
}
