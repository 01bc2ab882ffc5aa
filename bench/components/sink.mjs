export const definition = { id: 'bench_sink', title: 'Count bytes', lanes: { tags: [] } };

export const component = {
  start: () => ({
    borrowsBytes: true,
    pipe: ({ result }) => {
      let bytes = 0;
      return {
        lanes: {
          tags(item) {
            if (item.action === 'begin') bytes = 0;
            else if (item.action === 'write') bytes += item.data.length;
            else result.append('bytes', 'json', bytes);
          },
        },
      };
    },
  }),
};
