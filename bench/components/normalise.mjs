import { normalise } from '../job.mjs';

export const definition = { id: 'bench_normalise', title: 'Normalise', lanes: { text: ['text'] } };

export const component = {
  start: () => ({ pipe: ({ emit }) => ({ lanes: { text: (text) => emit.text(normalise(text)) } }) }),
};
