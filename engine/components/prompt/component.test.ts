import { describe, expect, it } from 'vitest';
import { type Doc, makeQuestion } from '../../../protocol/data.js';
import { type LaneInput, openComponent, runComponent } from '../testing.js';
import { component } from './component.js';
import { promptDefinition } from './definition.js';

const document: Doc = {
  type: 'Document',
  page_content: 'Water boils at 100 °C.',
  metadata: { objectId: 'o', chunkId: 0 },
};
const asked: LaneInput = {
  lane: 'questions',
  items: [makeQuestion({ questions: [{ text: 'When does water boil?' }] })],
};

describe('prompt', () => {
  it('merges everything of an object into one question, context in arrival order', async () => {
    const run = await prompt({}, [
      { lane: 'text', items: ['first'] },
      asked,
      { lane: 'documents', items: [[document]] },
      { lane: 'table', items: ['|second|'] },
    ]);
    expect(run.emitted.questions).toEqual([
      makeQuestion({
        questions: [{ text: 'When does water boil?' }],
        documents: [document],
        context: ['first', '|second|'],
        instructions: [
          {
            subtitle: 'Instruction',
            instructions: 'Please provide a detailed and helpful response to the following question:',
          },
        ],
      }),
    ]);
  });

  it('emits nothing when neither a question nor context arrived', async () => {
    const run = await prompt({}, [
      { lane: 'text', items: [''] },
      { lane: 'documents', items: [[]] },
    ]);
    expect(run.order).toEqual([]);
  });

  it('takes one instruction or a list of them', async () => {
    expect(texts(await prompt({ instructions: 'Be brief.' }, asked))).toEqual(['Be brief.']);
    expect(texts(await prompt({ instructions: ['Be brief.', ' ', 'Be kind.'] }, asked))).toEqual([
      'Be brief.',
      'Be kind.',
    ]);
  });

  it('keeps nothing of the object before', async () => {
    const pipe = await openComponent(component, promptDefinition);
    await pipe.run([asked, { lane: 'text', items: ['secret'] }]);
    const [second] = (await pipe.run({ lane: 'text', items: ['other'] })).emitted.questions;
    expect(second).toMatchObject({ context: ['other'], questions: [] });
    await pipe.stop();
  });

  it('keeps the documents a retriever put on the question and the wish for JSON', async () => {
    const question = makeQuestion({ questions: [{ text: 'q' }], documents: [document], expectJson: true });
    const run = await prompt({}, { lane: 'questions', items: [question] });
    expect(run.emitted.questions[0]).toMatchObject({ documents: [document], expectJson: true });
  });

  it('asks for grounded answers when told to, and for abstention when a search found nothing', async () => {
    const options = { instructions: [], grounding: true, abstain: true };
    expect(texts(await prompt(options, [asked, { lane: 'documents', items: [[document]] }]))[0]).toMatch(
      /documents given only/,
    );
    expect(texts(await prompt(options, [asked, { lane: 'documents', items: [[]] }]))[0]).toMatch(/found no documents/);
    expect(texts(await prompt(options, asked))).toEqual([]);
  });
});

function prompt(config: Record<string, unknown>, input: LaneInput | LaneInput[]) {
  return runComponent(component, promptDefinition, config, input);
}

function texts(run: Awaited<ReturnType<typeof prompt>>): string[] {
  return run.emitted.questions[0]?.instructions.map(({ instructions }) => instructions) ?? [];
}
