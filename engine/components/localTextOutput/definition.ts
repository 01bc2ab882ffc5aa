import { type Static, Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

const config = Type.Object({
  parameters: Type.Object({
    storePath: Type.String({
      minLength: 1,
      description: 'Folder that receives the text files; made when it is not there.',
    }),
    exclude: Type.Optional(
      Type.String({
        default: 'N/A',
        description: "Start of the objects' paths that is left out below the folder; `N/A` leaves nothing out.",
      }),
    ),
  }),
});

export type LocalTextOutputConfig = Static<typeof config>;

export const localTextOutputDefinition: Definition = {
  id: 'local-text-output',
  title: 'Local text output',
  description:
    "Writes the text of each object to a .txt file below a folder of the server's machine. Objects without text write nothing.",
  classType: ['target'],
  capabilities: ['nosaas', 'filesystem', 'security'],
  lanes: { text: [] },
  control: { takes: {}, offers: [] },
  aliases: ['local_text_output'],
  config,
  defaultProfile: 'default',
  profiles: { default: {} },
};
