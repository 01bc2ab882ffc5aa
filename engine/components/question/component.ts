import { makeQuestion } from '../../../protocol/data.js';
import type { Component } from '../../runtime/component.js';

export const component: Component = {
  start: () => ({
    pipe: ({ emit }) => ({
      lanes: {
        text(item) {
          const text = item.trim();
          return text === '' ? undefined : emit.questions(makeQuestion({ questions: [{ text }] }));
        },
      },
    }),
  }),
};
