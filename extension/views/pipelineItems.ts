import type { Uri } from 'vscode';
import type { PipelineRun } from '../runs/runs.js';
import { lineText, markdownText, pathText } from './format.js';
import { taskSummary } from './taskItems.js';
import type { TaskEntry } from './taskList.js';
import { shownState } from './taskState.js';
import type { NodeIcon, ViewNode } from './viewNode.js';

/** A pipeline file as the view shows it. */
export interface ShownPipeline {
  readonly uri: Uri;
  /** Undefined while the file has not been read. */
  readonly facts?: PipelineFileFacts;
}

/** What a file says of itself. */
export type PipelineFileFacts =
  | { readonly kind: 'pipeline'; readonly name: string; readonly isChat: boolean }
  | { readonly kind: 'problem'; readonly message: string; readonly hint: string };

export interface PipelineNodesInput {
  readonly pipelines: readonly ShownPipeline[];
  readonly folders: readonly { readonly name: string; readonly uri: Uri }[];
  readonly runs: readonly PipelineRun[];
  readonly tasks: readonly TaskEntry[];
}

/** The lines of the Pipelines view, grouped by folder where the workspace has several. */
export function pipelineNodes(input: PipelineNodesInput): ViewNode[] {
  const { folders, pipelines } = input;
  const facts = { runs: byFile(input.runs), tasks: byFile(input.tasks), byToken: byToken(input.tasks) };
  const placed = pipelines.map((pipeline) => {
    const folder = folders.findLast(({ uri }) => pathInside(uri, pipeline.uri) !== undefined);
    return { folder, node: pipelineNode(pipeline, folder?.uri, facts) };
  });
  if (folders.length < 2) return placed.map(({ node }) => node);
  const groups = folders.flatMap((folder) => {
    const children = placed.filter((each) => each.folder === folder).map(({ node }) => node);
    return children.length === 0 ? [] : [groupNode(folder, children)];
  });
  return [...groups, ...placed.filter(({ folder }) => folder === undefined).map(({ node }) => node)];
}

function groupNode({ name, uri }: { name: string; uri: Uri }, children: readonly ViewNode[]): ViewNode {
  const label = lineText(name);
  return {
    id: `folder ${uri.toString()}`,
    label,
    icon: { id: 'folder' },
    spoken: label,
    open: true,
    children: () => children,
  };
}

interface Facts {
  readonly runs: ReadonlyMap<string, PipelineRun>;
  /** The latest task of a file. */
  readonly tasks: ReadonlyMap<string, TaskEntry>;
  readonly byToken: ReadonlyMap<string, TaskEntry>;
}

function pipelineNode(
  { uri, facts }: ShownPipeline,
  folder: Uri | undefined,
  { runs, tasks, byToken }: Facts,
): ViewNode {
  const key = uri.toString();
  const run = runs.get(key);
  const task = run === undefined ? tasks.get(key) : byToken.get(run.info.token);
  const problem = facts?.kind === 'problem' ? facts : undefined;
  const path = (folder === undefined ? undefined : pathInside(folder, uri)) ?? uri.path;
  const split = path.lastIndexOf('/');
  const label = lineText(path.slice(split + 1));
  const state = stateOf(run, task, problem);
  const parts = [...(split > 0 ? [lineText(path.slice(0, split))] : []), ...(state.text === '' ? [] : [state.text])];
  const isChat = run?.isChat ?? (facts?.kind === 'pipeline' && facts.isChat);
  return {
    id: `pipeline ${key}`,
    label,
    description: parts.join(' · '),
    icon: state.icon,
    contextValue: `pipeline ${run === undefined ? 'stopped' : 'running'}${isChat ? ' chat' : ''}`,
    tooltip: tooltipOf(uri, facts, state.text, run),
    spoken: [
      label,
      state.text === '' ? 'not running' : state.text,
      ...(split > 0 ? [`in ${path.slice(0, split)}`] : []),
    ].join(', '),
    command: { id: 'vscode.open', title: 'Open', arguments: [uri] },
    subject: { uri, ...(task === undefined ? {} : { task }) },
  };
}

function stateOf(
  run: PipelineRun | undefined,
  task: TaskEntry | undefined,
  problem: { readonly message: string } | undefined,
): { text: string; icon: NodeIcon } {
  // What runs was right when it was started, and is more important than what the file says now.
  if (run !== undefined && task !== undefined) return { text: taskSummary(task), icon: shownState(task).icon };
  if (run !== undefined) return { text: 'Running', icon: { id: 'play-circle', color: 'testing.iconPassed' } };
  if (problem !== undefined)
    return { text: lineText(problem.message, 80), icon: { id: 'error', color: 'list.errorForeground' } };
  if (task?.status?.completed === true && task.status.exitCode !== 0) {
    const reason = lineText(task.status.exitMessage, 80);
    return {
      text: reason === '' ? 'Failed' : `Failed: ${reason}`,
      icon: { id: 'error', color: 'list.errorForeground' },
    };
  }
  return { text: '', icon: { id: 'circle-outline' } };
}

function tooltipOf(
  uri: Uri,
  facts: PipelineFileFacts | undefined,
  state: string,
  run: PipelineRun | undefined,
): string {
  const title = facts?.kind === 'pipeline' ? facts.name : (uri.path.split('/').at(-1) ?? '');
  return [
    `**${markdownText(title)}**`,
    markdownText(pathText(uri)),
    ...(facts?.kind === 'problem' ? [markdownText(facts.message), markdownText(facts.hint)] : []),
    ...(facts?.kind === 'problem' && run === undefined ? [] : [markdownText(state === '' ? 'Not running' : state)]),
    ...(run === undefined ? [] : [`On ${markdownText(run.connection.name)}`]),
  ].join('\n\n');
}

/** The path of a file below a folder; undefined when it is elsewhere. */
function pathInside(folder: Uri, file: Uri): string | undefined {
  if (folder.scheme !== file.scheme || folder.authority !== file.authority) return undefined;
  const root = folder.path.endsWith('/') ? folder.path : `${folder.path}/`;
  return file.path.startsWith(root) ? file.path.slice(root.length) : undefined;
}

/** The last of each file. */
function byFile<T extends { readonly file: Uri | undefined }>(all: readonly T[]): Map<string, T> {
  return new Map(all.flatMap((each): [string, T][] => (each.file === undefined ? [] : [[each.file.toString(), each]])));
}

function byToken(tasks: readonly TaskEntry[]): Map<string, TaskEntry> {
  return new Map(tasks.map((task) => [task.token, task]));
}
