import { type Static, Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

const paths = Type.Array(
  Type.Object({ path: Type.String({ minLength: 1, description: 'A file, a folder, or a pattern with *, ** and ?.' }) }),
);

const config = Type.Object({
  include: Type.Optional({
    ...paths,
    description: 'What is read. Of a folder, and of every folder a pattern matches, everything below is read.',
  }),
  exclude: Type.Optional({
    ...paths,
    description: 'What is left out, in the same form; a folder with everything below.',
  }),
  parameters: Type.Optional(
    Type.Object({
      excludeSymlinks: Type.Optional(
        Type.Boolean({ default: true, description: 'Whether symbolic links are left out instead of followed.' }),
      ),
      excludeExternalDrives: Type.Optional(Type.Boolean({ default: true, description: 'Has no effect here.' })),
      excludeEnableGlobal: Type.Optional(Type.Boolean({ default: true, description: 'Has no effect here.' })),
    }),
  ),
  mode: Type.Optional(
    Type.String({ description: '`Source` marks the component as the entry of the pipeline.', default: 'Source' }),
  ),
  type: Type.Optional(Type.String({ description: 'The provider once more; editors write it.' })),
});

export type FilesysConfig = Static<typeof config>;

export const filesysDefinition: Definition = {
  id: 'filesys',
  title: 'Local files',
  description:
    "Reads the files of the server's machine that the patterns name and puts the bytes of each on tags. The task ends when all are read.",
  classType: ['source'],
  capabilities: ['filesystem', 'noremote', 'security', 'nosaas'],
  lanes: { _source: ['tags'] },
  control: { takes: {}, offers: [] },
  config,
};
