import type { BaseClient } from '../client/typescript/src/client.js';
import { toMillraceError } from '../protocol/errors.js';
import type { FlowBody } from '../protocol/events.js';
import type { ToLiveView } from '../protocol/liveView.js';
import { readFlow, readHistory } from './taskEvents.js';

/** The end of a longer trace is left out. */
const mostEvents = 20_000;

/** The flow events of the object whose `begin` has the number `beginSeq`, from the server's past, up to its end. */
export async function readTrace(client: BaseClient, token: string, beginSeq: number): Promise<ToLiveView> {
  const lost = (reason: string): ToLiveView => ({ type: 'traceLost', beginSeq, reason });
  try {
    let since = beginSeq - 1;
    let pipeId: number | undefined;
    const events: FlowBody[] = [];
    for (;;) {
      const options = { types: ['flow'], since } as const;
      const portion = await readHistory(
        client,
        token,
        pipeId === undefined ? { ...options, limit: 1 } : { ...options, pipeId },
      );
      if (portion === undefined) return lost('This server does not keep past events.');
      const flow = portion.events.flatMap(({ body }) => readFlow(body, () => 0) ?? []);
      if (pipeId === undefined) {
        const begin = flow.find(({ seqNo, op }) => seqNo === beginSeq && op === 'begin');
        if (begin === undefined) return lost('The server no longer has the events of this object.');
        pipeId = begin.id;
        continue;
      }
      for (const event of flow) {
        events.push(event);
        if (event.op === 'end' || events.length >= mostEvents) return { type: 'trace', beginSeq, events };
      }
      if (portion.last >= portion.newest || portion.last <= since) return { type: 'trace', beginSeq, events };
      since = portion.last;
    }
  } catch (thrown) {
    return lost(toMillraceError(thrown).message);
  }
}
