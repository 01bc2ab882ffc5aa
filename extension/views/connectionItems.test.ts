import { describe, expect, it } from 'vitest';
import { connectionNodes } from './connectionItems.js';
import { TestConnection } from './testing/connections.js';
import { online } from './testing/entries.js';

const local = online();

describe('the tree of connections', () => {
  it('marks the one in use, and says what each is and how it does', () => {
    const far = new TestConnection('Far');
    far.down({ kind: 'off', reason: 'Nobody has needed it' });
    const nodes = connectionNodes([local, far], local, () => 'https://far.example');
    expect(nodes.map(({ contextValue }) => contextValue)).toEqual(['local current', 'remote other']);
    expect(nodes.map(({ description }) => description)).toEqual([
      'Current · Connected · ws://127.0.0.1:5565/task/service',
      'Off · https://far.example',
    ]);
    expect(nodes.map(({ spoken }) => spoken)).toEqual([
      'Local, Current, Connected, ws://127.0.0.1:5565/task/service',
      'Far, Off, https://far.example',
    ]);
    expect(nodes.map(({ subject }) => subject?.connection)).toEqual([local, far]);
    expect(nodes[0]?.tooltip).toContain('used by this workspace');
    expect(nodes[1]?.tooltip).toContain('Nobody has needed it');
  });

  it('tells the reason of a failure and what to do', () => {
    const far = new TestConnection('Far');
    far.down({ kind: 'failed', reason: 'The key was refused', hint: 'Set another key.' });
    const [, node] = connectionNodes([local, far], far);
    expect(node).toMatchObject({ description: 'Current · Failed: The key was refused', icon: { id: 'error' } });
    expect(node?.tooltip).toContain('Failed: The key was refused\n\nSet another key\\.');
  });

  it('shows the one in use also when there is none of that name', () => {
    const gone = new TestConnection('Gone');
    gone.down({ kind: 'failed', reason: 'There is no connection "Gone"', hint: 'Choose another one.' });
    const [, node] = connectionNodes([local], gone);
    expect(node).toMatchObject({ label: 'Gone', icon: { id: 'error' }, contextValue: 'missing current' });
  });

  it('has a mark of its own for each state', () => {
    const far = new TestConnection('Far');
    const marks = [
      { kind: 'off', reason: '' } as const,
      { kind: 'connecting' } as const,
      { kind: 'connected', url: 'u', serverVersion: '1' } as const,
      { kind: 'waiting', reason: '' } as const,
      { kind: 'failed', reason: '', hint: '' } as const,
    ].map((state) => {
      far.down(state);
      return connectionNodes([far], far)[0]?.icon?.id;
    });
    expect(new Set(marks).size).toBe(5);
  });
});
