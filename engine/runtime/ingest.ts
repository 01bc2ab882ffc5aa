import { type Lane, isLane } from '../../pipeline/model.js';
import { type Answer, type Doc, makeQuestion } from '../../protocol/data.js';
import { MillraceError } from '../../protocol/errors.js';
import { questionMimeType } from '../../protocol/limits.js';
import type { Awaitable, Emit, ObjectInfo, StreamItem } from './component.js';

/** Feeds the raw bytes a client sends into the lanes of a source component. */
export interface Ingest {
  begin(): Awaitable<void>;
  write(data: Uint8Array): Awaitable<void>;
  end(): Awaitable<void>;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const nothing = (): void => undefined;

/** Chooses the lane once, from the MIME type and from what is wired to the source (wire.md 6.1). */
export function makeIngest(object: ObjectInfo, emit: Emit, listens: (lane: Lane) => boolean, provider: string): Ingest {
  const { mimeType } = object;
  if (mimeType.startsWith('lane/')) return forcedLane(mimeType.slice('lane/'.length), object, emit);
  if (mimeType.startsWith(questionMimeType) && listens('questions')) return questions(emit);
  if (mimeType.startsWith('text/') && listens('text')) return text((piece) => emit.text(piece));
  for (const lane of ['image', 'audio', 'video'] as const) {
    if (mimeType.startsWith(`${lane}/`) && listens(lane)) return stream(object, emit[lane]);
  }
  if (provider === 'chat' && !listens('tags')) {
    throw new MillraceError(
      'invalid_argument',
      `A chat pipeline takes questions (MIME type ${questionMimeType}), not "${mimeType}"`,
      { hint: 'Use chat(), or start the pipeline with a webhook component as source.' },
    );
  }
  return stream(object, emit.tags);
}

function forcedLane(name: string, object: ObjectInfo, emit: Emit): Ingest {
  if (!isLane(name)) throw new MillraceError('invalid_argument', `"lane/${name}" names no lane`);
  switch (name) {
    case 'text':
      return text((piece) => emit.text(piece));
    case 'table':
      return text((piece) => emit.table(piece));
    case 'questions':
      return questions(emit);
    case 'documents':
      return json((value) => emit.documents((Array.isArray(value) ? value : [value]) as Doc[]));
    case 'answers':
      return json((value) => emit.answers(toAnswer(value)));
    case 'tags':
    case 'image':
    case 'audio':
    case 'video':
      return stream(object, emit[name]);
    default:
      return json((value) => emit[name](value));
  }
}

/** One item per write; a character split between two writes is completed by the next one. */
function text(emit: (piece: string) => Awaitable<void>): Ingest {
  let split: TextDecoder | undefined;
  return {
    begin: nothing,
    write(data) {
      let piece: string;
      try {
        if (split === undefined && endsComplete(data)) {
          piece = decoder.decode(data);
        } else {
          split ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
          piece = split.decode(data, { stream: true });
        }
      } catch (cause) {
        throw notUtf8(cause);
      }
      return piece === '' ? undefined : emit(piece);
    },
    end() {
      let rest: string;
      try {
        rest = split?.decode() ?? '';
      } catch (cause) {
        throw notUtf8(cause);
      }
      return rest === '' ? undefined : emit(rest);
    },
  };
}

function notUtf8(cause: unknown): MillraceError {
  return new MillraceError('invalid_argument', 'The text is not valid UTF-8', {
    cause,
    hint: 'Send it as application/octet-stream through a parse component, which detects the character set.',
  });
}

/** Whether the bytes end on a character boundary (as far as UTF-8's lead bytes tell). */
function endsComplete(data: Uint8Array): boolean {
  for (let back = 1; back <= 4 && back <= data.length; back++) {
    const byte = data[data.length - back] as number;
    if (byte < 0x80) return true;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) <= back;
  }
  return true;
}

function questions(emit: Emit): Ingest {
  return json((value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new MillraceError('invalid_argument', 'A question must be a JSON object');
    }
    return emit.questions(makeQuestion(value));
  });
}

/** Each write is one complete JSON value. */
function json(emit: (value: unknown) => Awaitable<void>): Ingest {
  return {
    begin: nothing,
    write(data) {
      let value: unknown;
      try {
        value = JSON.parse(decoder.decode(data));
      } catch (cause) {
        throw new MillraceError(
          'invalid_argument',
          `Each write on this lane must be one JSON value: ${(cause as Error).message}`,
          { cause },
        );
      }
      return emit(value);
    },
    end: nothing,
  };
}

function stream(object: ObjectInfo, emit: (item: StreamItem) => Awaitable<void>): Ingest {
  return {
    begin: () =>
      emit({
        action: 'begin',
        mimeType: object.mimeType,
        name: object.name,
        ...(object.size === undefined ? {} : { size: object.size }),
      }),
    write: (data) => emit({ action: 'write', data }),
    end: () => emit({ action: 'end' }),
  };
}

function toAnswer(value: unknown): Answer {
  if (typeof value === 'object' && value !== null && 'answer' in value) {
    const given = value as { answer: Answer['answer']; expectJson?: unknown };
    return { answer: given.answer, expectJson: given.expectJson === true };
  }
  return { answer: value as Answer['answer'], expectJson: typeof value === 'object' };
}
