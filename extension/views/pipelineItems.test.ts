import { describe, expect, it } from 'vitest';
import type { PipelineRun } from '../runs/runs.js';
import { type PipelineFileFacts, pipelineNodes, type PipelineNodesInput } from './pipelineItems.js';
import { endedStatus, entryOf, online, statusOf, uriOf } from './testing/entries.js';

const root = { name: 'space', uri: uriOf('/space') };
const echo = uriOf('/space/flows/echo.pipe');
const plain: PipelineFileFacts = { kind: 'pipeline', name: 'Echo', isChat: false };

function nodesOf(given: Partial<PipelineNodesInput>) {
  return pipelineNodes({ pipelines: [{ uri: echo, facts: plain }], folders: [root], runs: [], tasks: [], ...given });
}

function runOf(token: string, isChat = false): PipelineRun {
  return { file: echo, info: { token }, connection: online(), isChat };
}

describe('a pipeline in its tree', () => {
  it('opens its file and can be run', () => {
    const [node] = nodesOf({});
    expect(node).toMatchObject({
      label: 'echo.pipe',
      description: 'flows',
      contextValue: 'pipeline stopped',
      icon: { id: 'circle-outline' },
      command: { id: 'vscode.open', arguments: [echo] },
      spoken: 'echo.pipe, not running, in flows',
    });
    expect(node?.subject?.uri).toBe(echo);
    expect(node?.tooltip).toContain('**Echo**');
  });

  it('shows what its run does', () => {
    const status = statusOf({ rateCount: 3, completedCount: 9 });
    const task = entryOf({ id: 'a.in', token: 't1', status });
    const [node] = nodesOf({ runs: [runOf('t1')], tasks: [task] });
    expect(node).toMatchObject({
      description: 'flows · Running · 3/s · 9 done',
      contextValue: 'pipeline running',
      icon: { id: 'play-circle' },
    });
    expect(node?.subject?.task).toBe(task);
  });

  it('runs before its task is heard of', () => {
    expect(nodesOf({ runs: [runOf('t1')] })[0]?.description).toBe('flows · Running');
  });

  it('can be asked when it is a chat, running or not', () => {
    expect(nodesOf({ runs: [runOf('t1', true)] })[0]?.contextValue).toBe('pipeline running chat');
    const chat: PipelineFileFacts = { ...plain, isChat: true };
    expect(nodesOf({ pipelines: [{ uri: echo, facts: chat }] })[0]?.contextValue).toBe('pipeline stopped chat');
  });

  it('that is broken says why, and what to do, without hiding that it runs', () => {
    const problem: PipelineFileFacts = { kind: 'problem', message: 'Line 3: expected ","', hint: 'Add a comma.' };
    const pipelines = [{ uri: echo, facts: problem }];
    const [node] = nodesOf({ pipelines });
    expect(node).toMatchObject({ icon: { id: 'error' }, description: 'flows · Line 3: expected ","' });
    expect(node?.tooltip).toContain('Add a comma');
    const [running] = nodesOf({ pipelines, runs: [runOf('t1')] });
    expect(running).toMatchObject({ icon: { id: 'play-circle' }, contextValue: 'pipeline running' });
    expect(running?.tooltip).toContain('Add a comma');
  });

  it('says that its last run failed', () => {
    const status = endedStatus({ exitCode: 1, exitMessage: 'No model' });
    const tasks = [entryOf({ id: 'a', file: echo, status: endedStatus() }), entryOf({ id: 'b', file: echo, status })];
    expect(nodesOf({ tasks })[0]).toMatchObject({ description: 'flows · Failed: No model', icon: { id: 'error' } });
    expect(nodesOf({ tasks: tasks.slice(0, 1) })[0]?.description).toBe('flows');
  });

  it('has not been read yet', () => {
    expect(nodesOf({ pipelines: [{ uri: echo }] })[0]).toMatchObject({ contextValue: 'pipeline stopped' });
  });
});

describe('the tree of pipelines', () => {
  it('is empty without folders and files, so that its welcome shows', () => {
    expect(nodesOf({ folders: [], pipelines: [] })).toEqual([]);
    expect(nodesOf({ pipelines: [] })).toEqual([]);
  });

  it('shows a file that is open without a folder', () => {
    const [node] = nodesOf({ folders: [] });
    expect(node).toMatchObject({ label: 'echo.pipe', description: '/space/flows' });
  });

  it('groups by folder when there are several', () => {
    const folders = [root, { name: 'inner', uri: uriOf('/space/inner') }, { name: 'empty', uri: uriOf('/empty') }];
    const files = ['/space/a.pipe', '/space/inner/b.pipe', '/elsewhere/c.pipe', '/spaceshop/d.pipe'].map((path) => ({
      uri: uriOf(path),
      facts: plain,
    }));
    const nodes = nodesOf({ folders, pipelines: files });
    expect(nodes.map(({ label }) => label)).toEqual(['space', 'inner', 'c.pipe', 'd.pipe']);
    expect(nodes.slice(0, 2).map((node) => node.children?.().map(({ label }) => label))).toEqual([
      ['a.pipe'],
      ['b.pipe'],
    ]);
    expect(nodes[0]).toMatchObject({ open: true });
  });
});
