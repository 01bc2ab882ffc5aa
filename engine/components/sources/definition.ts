import { Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';
import type { Lane } from '../../../pipeline/model.js';

const config = Type.Object({
  mode: Type.Optional(
    Type.String({ description: '`Source` marks the component as the entry of the pipeline.', default: 'Source' }),
  ),
  type: Type.Optional(Type.String({ description: 'The provider once more; editors write it.' })),
  hideForm: Type.Optional(Type.Boolean({ description: 'A hint for editors; the engine ignores it.' })),
});

export const webhookDefinition = source(
  'webhook',
  'Webhook',
  'Takes what clients send: text, files, media or questions. The MIME type and what is wired to it choose the lane; everything without a listener of its own goes out as raw bytes on tags.',
  ['tags', 'text', 'audio', 'video', 'image', 'questions'],
);

export const chatDefinition = source(
  'chat',
  'Chat',
  'Takes the questions of `chat()` and of the chat page, one per object, and puts them on questions.',
  ['questions'],
);

export const dropperDefinition = source(
  'dropper',
  'Dropper',
  'Takes files dropped onto its page or sent by clients and puts their bytes on tags. Files are not stored.',
  ['tags'],
);

export const sourceDefinitions: readonly Definition[] = [webhookDefinition, chatDefinition, dropperDefinition];

function source(id: string, title: string, description: string, produces: readonly Lane[]): Definition {
  return {
    id,
    title,
    description,
    classType: ['source'],
    capabilities: ['noinclude'],
    lanes: { _source: produces },
    control: { takes: {}, offers: [] },
    config,
    defaultProfile: 'default',
    profiles: { default: {} },
  };
}
