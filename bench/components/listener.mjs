export const definition = { id: 'bench_listener', title: 'Listen', lanes: { text: [] } };

export const component = {
  start: () => ({ pipe: () => ({ lanes: { text: () => undefined } }) }),
};
