import { type Static, Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';
import type { Lane } from '../../../pipeline/model.js';

/** Keys of a result that belong to the engine. */
const reservedKeys = ['objectId', 'name', 'path', 'result_types', 'metadata', 'error', 'objects'];

const key = { minLength: 1, maxLength: 32, not: { enum: reservedKeys } };

const config = Type.Object({
  laneName: Type.Optional(
    Type.String({ ...key, description: 'Key of the result under which the values are returned; the lane by default.' }),
  ),
  lanes: Type.Optional(
    Type.Array(
      Type.Object({
        laneId: Type.Optional(Type.String({ description: 'A lane.' })),
        laneName: Type.Optional(Type.String({ description: 'The key of the result for that lane.' })),
      }),
      { description: 'Keys per lane, as older pipelines write them; entries with a part missing are ignored.' },
    ),
  ),
});

export type ResponseConfig = Static<typeof config>;

export const responseLanes = ['text', 'table', 'documents', 'questions', 'answers', 'image', 'audio', 'video'] as const;
export type ResponseLane = (typeof responseLanes)[number];

const returned: Record<ResponseLane, string> = {
  text: 'Returns the text of an object as one string, each piece followed by a blank line.',
  table: 'Returns each table as a string of pipe-delimited Markdown rows.',
  documents: 'Returns each document with its metadata, without empty fields.',
  questions: 'Returns each question with all its fields.',
  answers: 'Returns each answer: a string, or the JSON value when the question asked for JSON.',
  image: 'Returns each image as base64 with its MIME type. Images are not converted: PNG stays PNG, JPEG stays JPEG.',
  audio: 'Returns each recording as base64 with its MIME type.',
  video: 'Returns each video as base64 with its MIME type.',
};

const general = define('response', 'Response', 'Returns whatever reaches it, under one key per lane.', responseLanes, [
  'internal',
]);

export const responseDefinitions: readonly Definition[] = [
  general,
  ...responseLanes.map((lane) => define(`response_${lane}`, `Return ${lane}`, returned[lane], [lane], [])),
];

function define(
  id: string,
  title: string,
  description: string,
  accepted: readonly Lane[],
  capabilities: readonly string[],
): Definition {
  return {
    id,
    title,
    description,
    classType: ['infrastructure'],
    capabilities,
    lanes: Object.fromEntries(accepted.map((lane) => [lane, []])),
    control: { takes: {}, offers: [] },
    config,
    defaultProfile: 'default',
    profiles: { default: {} },
  };
}
