export const definition = {
  id: 'shout',
  title: 'Shout',
  description: 'Turns text into capital letters and adds exclamation marks.',
  classType: ['text'],
  capabilities: [],
  lanes: { text: ['text'] },
  control: { takes: {}, offers: [] },
  config: {
    type: 'object',
    properties: {
      marks: {
        type: 'integer',
        minimum: 0,
        maximum: 10,
        default: 1,
        description: 'Exclamation marks after each text.',
      },
    },
  },
  defaultProfile: 'loud',
  profiles: { loud: { marks: 1 }, louder: { marks: 3 } },
};
