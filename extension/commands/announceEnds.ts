import type { Disposable } from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import { quoteList } from '../../pipeline/values.js';
import { pipelineName } from '../pipelines/pipelineFile.js';
import type { RunEnd, RunService } from '../runs/runService.js';
import type { ShowFailure } from './showFailure.js';

/**
 * Says why runs have ended that nobody ended: one message for those that are lost together. A run that is stopped, or
 * comes to its end, is seen in its view.
 */
export function announceEnds(runs: Pick<RunService, 'onDidEnd'>, showFailure: ShowFailure): Disposable {
  let lost: RunEnd[] = [];
  const tellLost = (): void => {
    const [first] = lost;
    const names = lost.map(({ run }) => pipelineName(run.file.path));
    lost = [];
    if (first !== undefined) showFailure(lostError(names, first.message));
  };
  return runs.onDidEnd((end) => {
    switch (end.kind) {
      case 'failed':
        showFailure(failedError(pipelineName(end.run.file.path), end.message));
        break;
      case 'lost':
        // Of its own end the local engine tells itself, with what has become of its runs.
        if (end.run.connection.kind === 'local') break;
        if (lost.length === 0) setImmediate(tellLost);
        lost.push(end);
        break;
      case 'stopped':
      case 'ended':
        break;
    }
  });
}

function failedError(name: string, message: string): MillraceError {
  return new MillraceError('task_failed', `${name} has failed: ${message}`, { hint: '' });
}

function lostError(names: readonly string[], message: string): MillraceError {
  const what = names.length === 1 ? `The run of ${quoteList(names)} is` : `The runs of ${quoteList(names, 5)} are`;
  return new MillraceError('task_failed', `${what} lost: ${message}`, {
    hint: 'Run it again when the server is back.',
  });
}
