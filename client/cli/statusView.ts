import { type MillraceClient, type StatusUpdateBody, TaskState, type TaskStatus } from '../typescript/src/index.js';
import { type ExitCode, exitCodes } from './exitCodes.js';
import { isLive } from './io.js';
import { LiveBlock } from './liveBlock.js';
import type { Run } from './run.js';
import { bytesText, plain, type Style } from './style.js';

const stateNames = Object.fromEntries(Object.entries(TaskState).map(([name, value]) => [value, name.toLowerCase()]));

/**
 * Shows the status of a task until it has ended: redrawn on a terminal, one line for each change elsewhere, one
 * JSON object a line with --json. The exit code is that of the task's end.
 */
export async function watchStatus(run: Run, client: MillraceClient, token: string): Promise<ExitCode> {
  const block = isLive(run.io, run.io.stdout) && !run.json ? new LiveBlock(run.io.stdout) : undefined;
  let lastLine = '';
  const show = (status: TaskStatus): void => {
    if (run.json) return run.print(`${JSON.stringify(status)}\n`);
    if (block !== undefined) return block.update(statusLines(status, run.style));
    const line = summaryLine(status);
    if (line !== lastLine) run.print(`${line}\n`);
    lastLine = line;
  };
  let status = await client.getTaskStatus(token, { timeout: run.timeout });
  show(status);
  if (!status.completed) {
    const events = client.events({ key: { token }, types: ['summary'], signal: run.signal });
    for await (const { event, body } of events) {
      if (event !== 'apaevt_status_update') continue;
      status = body as StatusUpdateBody;
      show(status);
      if (status.completed) break;
    }
  }
  return exitCodeOf(status);
}

export function exitCodeOf(status: TaskStatus): ExitCode {
  return status.completed && status.exitCode !== 0 ? exitCodes.failed : exitCodes.ok;
}

export function statusLines(status: TaskStatus, style: Style): string[] {
  const { metrics, tokens } = status;
  const rows: [string, string][] = [
    ['state', stateText(status, style)],
    ['task', plain([status.name, status.project_id, status.source].filter((part) => part !== '').join(' · '))],
    ['now', plain(status.currentObject || status.status)],
    ['objects', `${status.completedCount} done, ${status.failedCount} failed, ${status.totalCount} in all`],
    ['data', `${bytesText(status.completedSize)} of ${bytesText(status.totalSize)}`],
    ['rate', `${status.rateCount}/s, ${bytesText(status.rateSize)}/s`],
    ['load', `${metrics.cpu_percent.toFixed(0)} % CPU, ${metrics.cpu_memory_mb.toFixed(0)} MB`],
    ['tokens', tokens.total.toFixed(2)],
  ];
  if (status.completed) rows.push(['exit', plain(`${status.exitCode} ${status.exitMessage}`.trim())]);
  return [
    ...rows.map(([name, text]) => `${name.padEnd(8)} ${text}`),
    ...status.errors.slice(-3).map((text) => `error    ${plain(text)}`),
    ...status.warnings.slice(-3).map((text) => `warning  ${plain(text)}`),
  ];
}

function summaryLine(status: TaskStatus): string {
  const counts = `${status.completedCount} done, ${status.failedCount} failed`;
  return plain(`${stateNames[status.state] ?? status.state}: ${status.status || 'no status'} (${counts})`);
}

function stateText(status: TaskStatus, style: Style): string {
  const name = stateNames[status.state] ?? String(status.state);
  if (status.state === TaskState.RUNNING) return style.green(name);
  return status.completed && status.exitCode !== 0 ? style.red(name) : style.bold(name);
}
