/** The host's side of the live view, in a worker, so that making events costs the page nothing. */
const textOf1KB = 'x'.repeat(760);
const pipes = 4;
const components = ['in', 'split', 'embed', 'store'];

let seqNo = 0;
let object = 0;

/** One object as it goes through the pipeline: about 1 KB of JSON for each event that has data. */
function objectEvents(pipe) {
  const name = `documents/part-${object++}.txt`;
  const time = Date.now() / 1000;
  const event = (op, stack, trace) => ({
    id: pipe,
    op,
    pipes: stack,
    trace,
    project_id: 'bench',
    source: 'in',
    seqNo: ++seqNo,
    time,
    __id: 'bench.in',
  });
  const data = `${name} ${textOf1KB}`;
  const events = [event('begin', [name], { note: data })];
  for (const component of components.slice(1)) {
    events.push(event('enter', [name, component], { lane: 'text', data }));
    events.push(event('leave', [name], { lane: 'text', result: 'continue', data }));
  }
  events.push(event('end', [], { text: [data] }));
  return events;
}

function status(startTime, completedCount, perSecond) {
  const now = Date.now() / 1000;
  const stat = { calls: completedCount, totalSeconds: completedCount / 1000, maxSeconds: 0.4 };
  const metrics = { cpu_percent: 40 + (now % 20), cpu_memory_mb: 200 + (now % 50), peak_cpu_memory_mb: 250 };
  return {
    state: 3,
    completed: false,
    name: 'Bench',
    project_id: 'bench',
    source: 'in',
    startTime,
    endTime: 0,
    totalCount: completedCount,
    completedCount,
    rateCount: perSecond,
    status: 'Working',
    errors: [],
    warnings: [],
    metrics,
    tokens: { cpu_utilization: 1, custom: {}, total: 1 },
    pipeflow: { totalPipes: pipes, byPipe: { 0: ['a', 'split'], 1: ['b', 'embed'] } },
    componentStats: Object.fromEntries(components.map((id) => [id, stat])),
    slowestDocs: [{ name: 'slow.txt', elapsed: 2, beginTime: startTime, beginSeq: 1 }],
  };
}

/** `perSecond` events a second, ten messages a second, for `seconds`. */
globalThis.onmessage = ({ data: { perSecond, seconds } }) => {
  const startTime = Date.now() / 1000;
  const begun = performance.now();
  let made = 0;
  let messages = 0;
  const timer = setInterval(() => {
    const passed = (performance.now() - begun) / 1000;
    if (passed >= seconds) {
      clearInterval(timer);
      postMessage({ done: true });
      return;
    }
    const flow = [];
    while (made < passed * perSecond) {
      const events = objectEvents(object % pipes);
      made += events.length;
      flow.push(...events);
    }
    const changes = { type: 'changes', flow, errors: [], warnings: [], lost: [] };
    if (messages++ % 10 === 0) changes.status = status(startTime, object, perSecond / 8);
    postMessage({ sent: performance.timeOrigin + performance.now(), message: changes });
  }, 100);
};
