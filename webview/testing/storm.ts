import type { LiveChanges } from '../../protocol/liveView.js';
import type { FlowBody } from '../../protocol/events.js';
import { beginning } from './simulator.js';
import { changes, status } from './scenarios.js';

const eventsPerObject = 8;
const ways = [
  ['parse_1', 'preprocessor_1', 'embedding_1'],
  ['parse_1', 'agent_1', 'llm_openai_1'],
] as const;

/** The `at`th message of a storm: whole objects of eight events each on 64 pipes, and a status. */
export function stormBatch(at: number, events: number): LiveChanges {
  const objects = Math.floor(events / eventsPerObject);
  const flow: FlowBody[] = [];
  let seqNo = 1_000_000 + at * objects * eventsPerObject;
  for (let index = 0; index < objects; index++) {
    const number = at * objects + index;
    const name = `storm/object-${number}.txt`;
    const way = ways[number % 2] ?? ways[0];
    const add = (op: FlowBody['op'], depth: number, trace: Record<string, unknown>): void => {
      const pipes = op === 'end' ? [] : [name, ...way.slice(0, depth)];
      const time = beginning + seqNo / 10_000;
      flow.push({ id: number % 64, op, pipes, trace, project_id: '', source: '', seqNo: ++seqNo, time });
    };
    add('begin', 0, {});
    for (let depth = 1; depth <= 3; depth++)
      add('enter', depth, { lane: 'text', data: { text: `${name} ${'word '.repeat(80)}` } });
    for (let depth = 2; depth >= 0; depth--) add('leave', depth, { lane: 'text', result: 'continue' });
    add('end', 0, {});
  }
  return changes({ flow, status: status({ completedCount: (at + 1) * objects, rateCount: objects * 10 }) });
}
