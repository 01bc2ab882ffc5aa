import type { Doc } from '../../../protocol/data.js';
import type { Awaitable, Component } from '../../runtime/component.js';
import { checkInput, checkOutput } from './checks.js';
import type { GuardrailsConfig } from './definition.js';

export const component: Component<GuardrailsConfig> = {
  start: ({ id, config, log }) => ({
    pipe: (pipe) => {
      let documents: string[] = [];
      const see = (docs: readonly Doc[]): void => {
        if (config.enable_hallucination_check) documents.push(...docs.map(({ page_content }) => page_content));
      };
      const judge = (problems: readonly string[], pass: () => Awaitable<void>): Awaitable<void> => {
        if (problems.length === 0) return pass();
        const text = `"${pipe.object.name}": ${problems.join('; ')}`;
        if (config.policy_mode === 'log') {
          log(`${id}: ${text}`);
          return pass();
        }
        if (config.policy_mode === 'block') return pipe.warn(`Blocked ${text}`);
        pipe.warn(text);
        return pass();
      };

      return {
        open() {
          documents = [];
        },
        lanes: {
          questions(question) {
            see(question.documents);
            const text = question.questions.map((asked) => asked.text).join('\n');
            return judge(checkInput(text, config), () => pipe.emit.questions(question));
          },
          answers(answer) {
            const isText = typeof answer.answer === 'string';
            const text = isText ? (answer.answer as string) : JSON.stringify(answer.answer);
            return judge(checkOutput(text, !isText, documents, config), () => pipe.emit.answers(answer));
          },
          documents(items) {
            see(items);
            return pipe.emit.documents(items);
          },
        },
        close() {
          documents = [];
        },
      };
    },
  }),
};
