import type { TaskStatus } from '../../protocol/status.js';
import { commands } from '../identifiers.js';
import { bytesText, countText, durationText, lineText, markdownText, pathText, plural, rateText } from './format.js';
import type { TaskEntry } from './taskList.js';
import { shownState } from './taskState.js';
import type { ViewNode } from './viewNode.js';

/** Errors and warnings below a task: the latest ones. */
const notesShown = 5;

/**
 * The lines of the Tasks view: what runs, the newest first, and then what has ended, the latest end first.
 *
 * @param now Unix seconds
 */
export function taskNodes(tasks: readonly TaskEntry[], now: number): ViewNode[] {
  const newestFirst = [...tasks].reverse();
  const ended = (task: TaskEntry): boolean => task.status?.completed === true;
  const shown = [...newestFirst.filter((task) => !ended(task)), ...newestFirst.filter(ended)];
  return shown.map((task) => taskNode(task, now));
}

/** For the badge of the view: how many run, as far as that is known. */
export function runningCount(tasks: readonly TaskEntry[]): number {
  return tasks.filter((task) => shownState(task).live).length;
}

/** What a task is doing in one line, for example `Running · 12/s · 1,234 done`. */
export function taskSummary(task: TaskEntry): string {
  return summaryParts(task).join(' · ');
}

function summaryParts(task: TaskEntry): string[] {
  const { text, live } = shownState(task);
  const { status } = task;
  if (status === undefined) return [text];
  const trouble = status.errors.length > 0 && status.failedCount === 0;
  return [
    text,
    ...(live && status.rateCount > 0 ? [rateText(status.rateCount)] : []),
    ...(status.completedCount > 0 ? [`${countText(status.completedCount)} done`] : []),
    ...(status.failedCount > 0 ? [`${countText(status.failedCount)} failed`] : []),
    ...(trouble ? [plural(status.errors.length, 'error')] : []),
  ];
}

function taskNode(task: TaskEntry, now: number): ViewNode {
  const { icon, live } = shownState(task);
  const label = lineText(task.name) || task.id;
  const known = task.token !== '';
  return {
    id: `task ${task.connection.name} ${task.id}`,
    label,
    description: taskSummary(task),
    icon,
    // Until its token is known nothing can be done with it.
    ...(known ? { contextValue: live ? 'task live' : 'task' } : {}),
    ...(known ? { command: { id: commands.showTaskLiveView, title: 'Show Live View' } } : {}),
    tooltip: () => taskTooltip(task, now),
    spoken: `${label}, ${summaryParts(task).join(', ')}`,
    children: () => detailNodes(task, now),
    subject: { task, connection: task.connection },
  };
}

function detailNodes(task: TaskEntry, now: number): ViewNode[] {
  const { status } = task;
  const id = `${task.connection.name} ${task.id}`;
  if (status === undefined) return [line(id, 'Status', 'Not heard of yet', 'question')];
  return [
    ...detailLines(task, status, now).map(({ label, text, icon }) => line(id, label, text, icon)),
    ...noteNodes(id, 'errors', status.errors, { id: 'error', color: 'list.errorForeground' }),
    ...noteNodes(id, 'warnings', status.warnings, { id: 'warning', color: 'list.warningForeground' }),
  ];
}

interface Detail {
  readonly label: string;
  readonly text: string;
  readonly icon: string;
}

function detailLines(task: TaskEntry, status: TaskStatus, now: number): Detail[] {
  const { live } = shownState(task);
  const { metrics } = status;
  const failed = status.failedCount > 0 ? `, ${countText(status.failedCount)} failed` : '';
  const objects = `${countText(status.completedCount)} done${failed}, ${countText(status.totalCount)} in all`;
  const current = lineText(status.currentObject);
  const size = status.currentSize > 0 ? ` (${bytesText(status.currentSize)})` : '';
  const from = status.startTime;
  const seconds = (live ? now : status.endTime || now) - from;
  const ending = lineText(status.exitMessage, 500) || (status.exitCode === 0 ? '' : `Exit code ${status.exitCode}`);
  const details: (Detail | false)[] = [
    ending !== '' && !live && status.completed && { label: 'End', text: ending, icon: 'info' },
    { label: 'Objects', text: objects, icon: 'package' },
    status.totalSize > 0 && {
      label: 'Data',
      text: `${bytesText(status.completedSize)} of ${bytesText(status.totalSize)}`,
      icon: 'database',
    },
    live && {
      label: 'Rate',
      text: `${rateText(status.rateCount)}, ${bytesText(status.rateSize)}/s`,
      icon: 'dashboard',
    },
    live && current !== '' && { label: 'Now', text: current + size, icon: 'file' },
    live && {
      label: 'Load',
      text: `${Math.round(metrics.cpu_percent)} % CPU, ${Math.round(metrics.cpu_memory_mb)} MB`,
      icon: 'pulse',
    },
    from > 0 && { label: live ? 'Uptime' : 'Duration', text: durationText(seconds), icon: 'clock' },
  ];
  return details.filter((detail) => detail !== false);
}

function line(owner: string, label: string, text: string, icon: string): ViewNode {
  return { id: `${label} ${owner}`, label, description: text, icon: { id: icon }, spoken: `${label}: ${text}` };
}

/** The latest notes, the newest first, below a line with their number. */
function noteNodes(
  owner: string,
  kind: string,
  notes: readonly string[],
  icon: NonNullable<ViewNode['icon']>,
): ViewNode[] {
  if (notes.length === 0) return [];
  const count = plural(notes.length, kind.slice(0, -1));
  const children = (): ViewNode[] =>
    notes
      .slice(-notesShown)
      .reverse()
      .map((note, at) => {
        const label = lineText(note) || 'No text';
        return { id: `${kind} ${at} ${owner}`, label, icon, tooltip: markdownText(note, 2000), spoken: label };
      });
  const label = kind === 'errors' ? 'Errors' : 'Warnings';
  const all = notes.length <= notesShown ? '' : `, the latest ${notesShown}`;
  const description = `${countText(notes.length)}${all}`;
  return [{ id: `${kind} ${owner}`, label, description, icon, spoken: `${count}${all}`, children }];
}

/** Everything about a task, in Markdown. */
export function taskTooltip(task: TaskEntry, now: number): string {
  const { status } = task;
  const rows = [
    ['State', taskSummary(task)],
    ...(status === undefined ? [] : detailLines(task, status, now).map(({ label, text }) => [label, text])),
    ['Source', task.source],
    ['Project', task.projectId],
    ['Connection', task.connection.name],
    ...(task.file === undefined ? [] : [['File', pathText(task.file)]]),
    ['Id', task.id],
  ];
  const table = rows.map(([label = '', text = '']) => `| ${label} | ${markdownText(text)} |`);
  return [
    `**${markdownText(task.name)}**`,
    ['| | |', '|---|---|', ...table].join('\n'),
    ...notesSection('Errors', status?.errors ?? []),
    ...notesSection('Warnings', status?.warnings ?? []),
  ].join('\n\n');
}

function notesSection(title: string, notes: readonly string[]): string[] {
  if (notes.length === 0) return [];
  const latest = notes.slice(-notesShown).reverse();
  return [`**${title}**`, latest.map((note) => `- ${markdownText(note)}`).join('\n')];
}
