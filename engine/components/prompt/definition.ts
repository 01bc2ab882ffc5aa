import { type Static, Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

const config = Type.Object({
  instructions: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: 'What the model is told to do: one instruction or a list of them.',
    }),
  ),
  grounding: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Adds an instruction to answer from the documents only, when documents arrived.',
    }),
  ),
  abstain: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Adds an instruction to say so when a search ran but found nothing.',
    }),
  ),
});

export type PromptConfig = Static<typeof config>;

export const promptDefinition: Definition = {
  id: 'prompt',
  title: 'Prompt',
  description:
    'Collects the questions, documents, texts and tables of one object and emits them as a single question with instructions. Emits nothing when neither a question nor context arrived.',
  classType: ['text'],
  capabilities: [],
  lanes: { documents: ['questions'], text: ['questions'], table: ['questions'], questions: ['questions'] },
  control: { takes: {}, offers: [] },
  config,
  defaultProfile: 'default',
  profiles: {
    default: { instructions: ['Please provide a detailed and helpful response to the following question:'] },
  },
};
