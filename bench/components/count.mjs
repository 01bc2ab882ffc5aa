import { countWords } from '../job.mjs';

export const definition = { id: 'bench_count', title: 'Count words', lanes: { json: [] } };

export const component = {
  start: () => ({
    pipe: ({ result }) => ({
      lanes: {
        json: ({ chunks, text }) => result.append('light', 'json', { chunks, words: countWords(text) }),
      },
    }),
  }),
};
