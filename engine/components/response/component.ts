import type { Answer, Doc } from '../../../protocol/data.js';
import { MillraceError } from '../../../protocol/errors.js';
import type { Component, LaneHandlers, PipeContext, StreamItem } from '../../runtime/component.js';
import type { ResponseConfig, ResponseLane } from './definition.js';
import { mediaType } from './mediaType.js';

/** Base64 of more would not fit into one message of the wire. */
const mediaLimit = 128 * 1024 * 1024;

export const component: Component<ResponseConfig> = {
  start: ({ config }) => {
    const keyOf = keys(config);
    return {
      borrowsBytes: true,
      pipe: (pipe) => {
        const { result } = pipe;
        let text = '';
        const media = {
          image: collectMedia(pipe, 'image', keyOf('image')),
          audio: collectMedia(pipe, 'audio', keyOf('audio')),
          video: collectMedia(pipe, 'video', keyOf('video')),
        };
        const lanes: LaneHandlers = {
          text(item) {
            if (item !== '') text += `${item}\n\n`;
          },
          table: (item) => result.append(keyOf('table'), 'table', item),
          documents(items) {
            for (const item of items) result.append(keyOf('documents'), 'documents', withoutNulls(item));
          },
          questions: (item) => result.append(keyOf('questions'), 'questions', item),
          answers: (item) => result.append(keyOf('answers'), 'answers', answerValue(item)),
          image: media.image.take,
          audio: media.audio.take,
          video: media.video.take,
        };
        const reset = (): void => {
          text = '';
          for (const { drop } of Object.values(media)) drop();
        };

        return {
          open: reset,
          lanes,
          // Here and not in closing: a failed object still returns what it produced.
          close() {
            if (text !== '') result.append(keyOf('text'), 'text', text);
            const { name, path } = pipe.object;
            result.set('name', name);
            result.set('path', path);
            const metadata = Object.entries(pipe.object.metadata).filter(
              ([key]) => !key.toLowerCase().includes('tika'),
            );
            if (metadata.length > 0) result.set('metadata', Object.fromEntries(metadata));
            reset();
          },
        };
      },
    };
  },
};

/** `laneName` for every lane, else the key that the older `lanes` list gives a lane, else the lane itself. */
function keys({ laneName, lanes = [] }: ResponseConfig): (lane: ResponseLane) => string {
  if (laneName !== undefined && laneName !== '') return () => laneName;
  const named = new Map<string, string>();
  for (const entry of lanes) if (entry.laneId && entry.laneName) named.set(entry.laneId, entry.laneName);
  return (lane) => named.get(lane) ?? lane;
}

function collectMedia({ result }: PipeContext, lane: 'image' | 'audio' | 'video', key: string) {
  let declared = '';
  let pieces: Uint8Array[] = [];
  let size = 0;
  const drop = (): void => {
    pieces = [];
    size = 0;
  };
  const take = (item: StreamItem): void => {
    if (item.action === 'begin') {
      drop();
      declared = item.mimeType;
    } else if (item.action === 'write') {
      size += item.data.length;
      if (size > mediaLimit) {
        drop();
        throw new MillraceError(
          'too_large',
          `The ${lane} is larger than ${mediaLimit / 1024 / 1024} MiB and cannot be returned`,
          {
            hint: 'Return a reference or a smaller version instead.',
          },
        );
      }
      // A copy, because the sender may use its buffer again.
      pieces.push(Uint8Array.from(item.data));
    } else {
      const data = Buffer.concat(pieces, size);
      drop();
      result.append(key, lane, { mime_type: mediaType(data, declared), [lane]: data.toString('base64') });
    }
  };
  return { take, drop };
}

function answerValue({ answer, expectJson }: Answer): unknown {
  if (expectJson || answer === null || typeof answer === 'string') return answer;
  return JSON.stringify(answer);
}

function withoutNulls(doc: Doc): Record<string, unknown> {
  return { ...present(doc), metadata: present(doc.metadata) };
}

function present(object: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) if (value !== null && value !== undefined) kept[key] = value;
  return kept;
}
