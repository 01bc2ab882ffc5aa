import * as vscode from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import type { UploadResult } from '../../protocol/results.js';
import { pipelineName } from '../pipelines/pipelineFile.js';
import { resultText, uploadReport } from '../runs/results.js';
import type { PipelineRun } from '../runs/runs.js';
import { sendFilesWithProgress } from '../runs/uploads.js';
import { type FoundFile, walkFiles } from '../runs/walkFiles.js';
import type { CommandDeps } from './dependencies.js';

/**
 * Sends files, and the files in folders, to a run and opens what came of them as one document.
 *
 * @throws MillraceError when there is nothing to send or nothing came back
 */
export async function sendAndShow(
  { results }: Pick<CommandDeps, 'results'>,
  run: PipelineRun,
  chosen: readonly vscode.Uri[],
): Promise<void> {
  const paths = chosen.map(diskPath);
  const name = pipelineName(run.file.path);
  const options = { location: vscode.ProgressLocation.Notification, title: `Sending to ${name}`, cancellable: true };
  const sent = await vscode.window.withProgress(options, async (progress, cancellation) => {
    const controller = new AbortController();
    const subscription = cancellation.onCancellationRequested(() => {
      controller.abort(new MillraceError('cancelled', 'Sending was cancelled.'));
    });
    try {
      const { signal } = controller;
      const files = await walkFiles(paths, { signal });
      if (files.length === 0) throw new MillraceError('file_not_found', 'There are no files in what you chose.');
      const client = await run.connection.client();
      const uploads = await sendFilesWithProgress(client, run.info.token, files, {
        signal,
        onProgress: ({ done, failed, total }) => {
          const failures = failed === 0 ? '' : `, ${failed} failed`;
          progress.report({ increment: 100 / total, message: `${done} of ${total}${failures}` });
        },
      });
      return { files, uploads, wasCancelled: signal.aborted };
    } finally {
      subscription.dispose();
    }
  });
  // What was done before somebody cancelled is worth showing; that the rest was not done they know.
  const { files, uploads, wasCancelled } = sent;
  if (wasCancelled && uploads.every(({ result }) => result === undefined)) return;
  await results.show(documentOf(files, uploads, name));
}

function documentOf(files: readonly FoundFile[], uploads: readonly UploadResult[], name: string) {
  const [only, second] = uploads;
  if (only === undefined || second !== undefined) {
    const names = files.map((file) => file.name);
    return uploadReport(uploads, names, name);
  }
  if (only.result !== undefined) return resultText(only.result, files[0]?.name ?? name);
  throw new MillraceError('pipe_failed', `${files[0]?.name ?? 'The file'} was not processed: ${only.error ?? ''}`, {
    hint: 'Check that the pipeline still runs.',
  });
}

function diskPath(uri: vscode.Uri): string {
  if (uri.scheme === 'file') return uri.fsPath;
  throw new MillraceError('unsupported', `${uri.path} is not on a disk of this machine, so it cannot be sent.`, {
    hint: 'Save it to a folder first.',
  });
}
