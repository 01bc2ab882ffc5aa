import { type Doc, type Question, makeQuestion } from '../../../protocol/data.js';
import type { Component } from '../../runtime/component.js';
import type { PromptConfig } from './definition.js';

const groundingText = 'Answer from the documents given only. Do not use other knowledge.';
const abstainText = 'The search found no documents. If you are not certain of the answer, say that you do not know.';

export const component: Component<PromptConfig> = {
  start: ({ config }) => {
    const given = typeof config.instructions === 'string' ? [config.instructions] : (config.instructions ?? []);
    const configured = given.filter((instruction) => instruction.trim() !== '');

    return {
      pipe: ({ emit }) => {
        let questions: Question['questions'] = [];
        let documents: Doc[] = [];
        let context: string[] = [];
        let searched = false;
        let expectJson = false;
        const collect = (item: string): void => {
          if (item !== '') context.push(item);
        };

        return {
          open() {
            questions = [];
            documents = [];
            context = [];
            searched = false;
            expectJson = false;
          },
          lanes: {
            text: collect,
            table: collect,
            documents(items) {
              searched = true;
              documents.push(...items);
            },
            questions(question) {
              questions.push(...question.questions.map(({ text }) => ({ text })));
              documents.push(...question.documents);
              expectJson ||= question.expectJson;
            },
          },
          closing() {
            if (questions.length + documents.length + context.length === 0) return;
            const instructions = [...configured];
            if (config.grounding && documents.length > 0) instructions.push(groundingText);
            if (config.abstain && searched && documents.length === 0) instructions.push(abstainText);
            return emit.questions(
              makeQuestion({
                questions,
                documents,
                context,
                expectJson,
                instructions: instructions.map((text) => ({ subtitle: 'Instruction', instructions: text })),
              }),
            );
          },
          close() {
            documents = [];
            context = [];
          },
        };
      },
    };
  },
};
