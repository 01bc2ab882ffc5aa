import type { MillraceClient, UploadProgress } from '../../client/typescript/src/index.js';
import { uploadEvent } from '../../protocol/events.js';
import type { UploadResult } from '../../protocol/results.js';
import { isRecord } from '../../pipeline/values.js';
import type { FoundFile } from './walkFiles.js';

export interface UploadState {
  readonly done: number;
  readonly failed: number;
  readonly total: number;
}

/**
 * Sends files and resolves with one result for each, in their order. Files that were not sent because it was cancelled
 * count as failed.
 *
 * @param onProgress after each file
 */
export async function sendFilesWithProgress(
  client: MillraceClient,
  token: string,
  files: readonly FoundFile[],
  { signal, onProgress }: { signal: AbortSignal; onProgress: (state: UploadState) => void },
): Promise<UploadResult[]> {
  // The address tells our files from those of another upload at the same time.
  const pending = new Set(files.map(({ path }) => path));
  let failed = 0;
  const stop = client.listen(({ event, body }) => {
    if (event !== uploadEvent || !isProgress(body) || !isLast(body) || !pending.delete(body.filepath)) return;
    if (body.action === 'error') failed += 1;
    onProgress({ done: files.length - pending.size, failed, total: files.length });
  });
  try {
    const entries = files.map(({ path, name }) => ({ file: path, filepath: path, objinfo: { name } }));
    return await client.sendFiles(entries, token, { signal });
  } finally {
    stop();
  }
}

function isProgress(body: unknown): body is UploadProgress {
  return isRecord(body) && typeof body.filepath === 'string' && typeof body.action === 'string';
}

function isLast({ action }: UploadProgress): boolean {
  return action === 'complete' || action === 'error';
}
