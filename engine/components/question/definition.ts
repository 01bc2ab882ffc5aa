import { Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

export const questionDefinition: Definition = {
  id: 'question',
  title: 'Question',
  description: 'Turns each text into a question. White space around it is removed; empty text is dropped.',
  classType: ['text'],
  capabilities: [],
  lanes: { text: ['questions'] },
  control: { takes: {}, offers: [] },
  config: Type.Object({
    type: Type.Optional(Type.String({ description: 'The provider once more; editors write it.' })),
  }),
  defaultProfile: 'default',
  profiles: { default: {} },
};
