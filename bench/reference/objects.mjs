import { randomUUID } from 'node:crypto';
import { light } from '../job.mjs';

/**
 * The wire of a send without an engine: open, write and close of an object (three messages), or send (one). Text gets
 * the job "light", the bytes of everything else are counted. `handle` turns one message into the answer to it.
 */
export class Objects {
  #pipes = new Map();
  #free = [];
  #seq = 0;

  handle(data, isBinary) {
    const end = isBinary ? data.indexOf(10) : -1;
    const { seq, command, arguments: given } = JSON.parse(end < 0 ? data.toString() : data.toString('utf8', 0, end));
    const body = this.#answer(given, end < 0 ? undefined : data.subarray(end + 1));
    const head = { seq: ++this.#seq, type: 'response', request_seq: seq, command, success: true };
    return JSON.stringify(body === undefined ? head : { ...head, body });
  }

  #answer({ subcommand, pipe_id: id, mimeType }, data) {
    switch (subcommand) {
      case 'open': {
        const pipe = this.#free.pop() ?? this.#pipes.size;
        this.#pipes.set(pipe, makeObject(mimeType));
        return { pipe_id: pipe };
      }
      case 'write':
        this.#pipes.get(id).write(data);
        return undefined;
      case 'close': {
        const object = this.#pipes.get(id);
        this.#free.push(id);
        return object.end();
      }
      case 'send': {
        const object = makeObject(mimeType);
        object.write(data);
        return object.end();
      }
      default:
        return {};
    }
  }
}

function makeObject(mimeType) {
  const objectId = randomUUID();
  if (mimeType.startsWith('text/')) {
    const results = [];
    return {
      write: (data) => void results.push(light(data.toString())),
      end: () => ({ objectId, result_types: { light: 'json' }, light: results }),
    };
  }
  let bytes = 0;
  return {
    write: (data) => void (bytes += data.length),
    end: () => ({ objectId, result_types: { bytes: 'json' }, bytes: [bytes] }),
  };
}
