export const definition = { id: 'bench_pass', title: 'Pass through', lanes: { text: ['text'] } };

export const component = {
  start: () => ({ pipe: ({ emit }) => ({ lanes: { text: (text) => emit.text(text) } }) }),
};
