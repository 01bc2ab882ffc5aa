import type { Disposable } from 'vscode';
import { describe, expect, it } from 'vitest';
import { Emitter } from './emitter.js';

describe('Emitter', () => {
  it('calls every listener in the order they came, with its own this', () => {
    const emitter = new Emitter<number>();
    const heard: string[] = [];
    emitter.event((value) => heard.push(`first ${value}`));
    emitter.event(
      function (this: { name: string }, value) {
        heard.push(`${this.name} ${value}`);
      },
      { name: 'second' },
    );
    emitter.fire(7);
    expect(heard).toEqual(['first 7', 'second 7']);
  });

  it('does not call a listener that another one has just removed', () => {
    const emitter = new Emitter<void>();
    const heard: string[] = [];
    const subscriptions: Disposable[] = [];
    emitter.event(() => {
      heard.push('first');
      for (const each of subscriptions) each.dispose();
    });
    emitter.event(() => heard.push('second'), undefined, subscriptions);
    emitter.fire();
    emitter.fire();
    expect(heard).toEqual(['first', 'first']);
  });

  it('is silent once disposed', () => {
    const emitter = new Emitter<void>();
    let heard = 0;
    emitter.event(() => heard++);
    emitter.dispose();
    emitter.event(() => heard++);
    emitter.fire();
    expect(heard).toBe(0);
  });
});
