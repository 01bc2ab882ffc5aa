import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Definition } from '../../pipeline/catalogue.js';
import type { Component } from '../runtime/component.js';
import { runComponent } from './testing.js';

const file = new URL('../../examples/components/shout/index.js', import.meta.url);
const { component, definition } = (await import(fileURLToPath(file))) as {
  component: Component;
  definition: Definition;
};

describe('the example component', () => {
  it('shouts each text', async () => {
    const run = await shout({}, 'good morning', 'straße');
    expect(run.emitted.text).toEqual(['GOOD MORNING!', 'STRASSE!']);
  });

  it('has a louder profile', async () => {
    expect((await shout({ profile: 'louder' }, 'hi')).emitted.text).toEqual(['HI!!!']);
  });

  it('stays silent when there is nothing to say', async () => {
    expect((await shout({}, '', ' \n')).order).toEqual([]);
  });
});

function shout(config: Record<string, unknown>, ...items: string[]) {
  return runComponent(component, definition, config, { lane: 'text', items });
}
