import { isRecord } from '../pipeline/values.js';
import type { FromLiveView } from '../protocol/liveView.js';

/** A message of the view, or undefined when it is none. Members that are not expected are left out. */
export function checkFromView(message: unknown): FromLiveView | undefined {
  if (!isRecord(message)) return undefined;
  switch (message.type) {
    case 'ready':
      return isSeq(message.lastSeq) ? { type: 'ready', lastSeq: message.lastSeq } : undefined;
    case 'visible':
      return typeof message.visible === 'boolean' ? { type: 'visible', visible: message.visible } : undefined;
    case 'trace':
      return isSeq(message.beginSeq) ? { type: 'trace', beginSeq: message.beginSeq } : undefined;
    case 'openComponent':
      return typeof message.id === 'string' && message.id !== ''
        ? { type: 'openComponent', id: message.id }
        : undefined;
    case 'stop':
      return { type: 'stop' };
    default:
      return undefined;
  }
}

function isSeq(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
