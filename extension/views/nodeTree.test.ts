import { describe, expect, it } from 'vitest';
import { NodeTree } from './nodeTree.js';
import { taskNodes } from './taskItems.js';
import { entryOf, online, statusOf } from './testing/entries.js';
import type { ViewNode } from './viewNode.js';

function node(id: string, description = '', children?: readonly ViewNode[]): ViewNode {
  const base = { id, label: id, description, spoken: id };
  return children === undefined ? base : { ...base, children: () => children };
}

const ids = (changed: ReturnType<NodeTree['update']>): unknown =>
  changed === 'all' ? 'all' : changed.map((element) => element.node.id);

describe('NodeTree', () => {
  it('tells nothing when nothing that is seen has changed', () => {
    const tree = new NodeTree();
    expect(ids(tree.update([node('a'), node('b')]))).toBe('all');
    expect(ids(tree.update([node('a'), node('b')]))).toEqual([]);
  });

  it('keeps the elements and tells only those that changed', () => {
    const tree = new NodeTree();
    tree.update([node('a'), node('b')]);
    const [a, b] = tree.roots;
    expect(ids(tree.update([node('a'), node('b', 'new')]))).toEqual(['b']);
    expect(tree.roots).toEqual([a, b]);
    expect(b?.node.description).toBe('new');
  });

  it('draws everything when lines come, go or move', () => {
    const tree = new NodeTree();
    tree.update([node('a'), node('b')]);
    const [a, b] = tree.roots;
    expect(ids(tree.update([node('b'), node('a')]))).toBe('all');
    expect(tree.roots[0]).toBe(b);
    expect(ids(tree.update([node('a')]))).toBe('all');
    expect(tree.roots[0]).toBe(a);
    expect(ids(tree.update([]))).toBe('all');
    expect(ids(tree.update([]))).toEqual([]);
  });

  it('looks below a line only once somebody has opened it', () => {
    const tree = new NodeTree();
    const looked: string[] = [];
    const lazy = (text: string): ViewNode => ({
      ...node('a'),
      children: () => {
        looked.push(text);
        return [node('a1', text), node('a2')];
      },
    });
    tree.update([lazy('one')]);
    tree.update([lazy('two')]);
    expect(looked).toEqual([]);
    const [a] = tree.roots;
    if (a === undefined) throw new Error('There is no line');
    const children = tree.childrenOf(a);
    expect(children.map((element) => element.node.description)).toEqual(['two', '']);
    expect(ids(tree.update([lazy('three')]))).toEqual(['a1']);
    expect(tree.childrenOf(a)).toEqual(children);
  });

  it('draws a line again with what is below it when lines below come or go', () => {
    const tree = new NodeTree();
    tree.update([node('a', '', [node('a1'), node('a2')])]);
    const [a] = tree.roots;
    if (a !== undefined) tree.childrenOf(a);
    expect(ids(tree.update([node('a', '', [node('a1', 'changed')])]))).toEqual(['a']);
  });

  it('gives commands what the line is about, as it is now', () => {
    const connection = online();
    const task = entryOf({ id: 't', status: statusOf() }, connection);
    const tree = new NodeTree();
    tree.update(taskNodes([task], 0));
    expect(tree.roots[0]).toMatchObject({ task, connection });
    const next = entryOf({ id: 't', status: statusOf() }, connection);
    tree.update(taskNodes([next], 0));
    expect(tree.roots[0]?.task).toBe(next);
  });

  it('tells the three of a thousand tasks that moved on', () => {
    const connection = online();
    const tasks = Array.from({ length: 1000 }, (_, i) => entryOf({ id: `t${i}`, status: statusOf() }, connection));
    const tree = new NodeTree();
    tree.update(taskNodes(tasks, 0));
    const moved = tasks.map((task, i) => (i < 3 ? { ...task, status: statusOf({ completedCount: 1 }) } : task));
    const changed = tree.update(taskNodes(moved, 0));
    expect(changed.length).toBe(3);
  });
});
