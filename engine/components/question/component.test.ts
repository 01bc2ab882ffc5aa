import { describe, expect, it } from 'vitest';
import { makeQuestion } from '../../../protocol/data.js';
import { runComponent } from '../testing.js';
import { component } from './component.js';
import { questionDefinition } from './definition.js';

describe('question', () => {
  it('makes one trimmed question of every text', async () => {
    const run = await ask('  What is new?\n', 'And why?');
    expect(run.emitted.questions).toEqual([
      makeQuestion({ questions: [{ text: 'What is new?' }] }),
      makeQuestion({ questions: [{ text: 'And why?' }] }),
    ]);
  });

  it('drops empty text', async () => {
    expect((await ask('', ' \n\t')).order).toEqual([]);
  });
});

function ask(...items: string[]) {
  return runComponent(component, questionDefinition, {}, { lane: 'text', items });
}
