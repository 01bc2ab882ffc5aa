export const component = {
  start({ config, warn }) {
    const marks = '!'.repeat(config.marks ?? 1);
    if (marks === '') warn('shout adds no exclamation marks, because marks is 0');

    return {
      pipe: ({ emit }) => ({
        lanes: {
          // Returning what emit returns lets a slow component downstream slow this one.
          text: (text) => (text.trim() === '' ? undefined : emit.text(text.toUpperCase() + marks)),
        },
      }),
    };
  },
};
