import { split } from '../job.mjs';

export const definition = { id: 'bench_split', title: 'Split', lanes: { text: ['json'] } };

export const component = {
  start: () => ({
    pipe: ({ emit }) => ({ lanes: { text: (text) => emit.json({ chunks: split(text), text }) } }),
  }),
};
