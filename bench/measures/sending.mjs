import { cpuSeconds } from '../processes.mjs';
import { byTurns } from '../rounds.mjs';
import { perSecond, row } from '../rows.mjs';

/** One measurement of our engine's light job over the socket. */
async function ours(lab, inFlight, messages, traceLevel) {
  const engine = await lab.engine();
  const token = await engine.task('light', traceLevel);
  return () => lab.run('send', { ...lab.load, ...engine.target(token), inFlight, messages });
}

async function bare(lab, name, inFlight, messages = 3) {
  const { url } = await lab.reference(name);
  return () => lab.run('send', { ...lab.load, url, token: 'bench', inFlight, messages });
}

/** Items per second of ours against a reference. */
async function throughput(lab, { id, what, inFlight, messages, reference, ...limits }) {
  const rounds = await byTurns(lab.rounds, {
    ours: await ours(lab, inFlight, messages),
    other: await bare(lab, reference === 'hop' ? 'hop' : 'ws', inFlight),
  });
  return row(rounds, {
    id,
    what: `${what}, ${inFlight} in flight`,
    reference,
    value: ({ perSecond }) => perSecond,
    show: perSecond,
    ...limits,
  });
}

export async function P1(lab) {
  const what = 'open, write, close of 2 KB over one socket';
  const limits = { floor: 0.8, goal: 0.95 };
  return [
    await throughput(lab, { id: 'P1', what, inFlight: 16, messages: 3, reference: 'hop', ...limits }),
    await throughput(lab, { id: 'P1', what, inFlight: 64, messages: 3, reference: 'hop', ...limits }),
  ];
}

export async function P2(lab) {
  const what = 'the same in one message';
  const limits = { floor: 1.0, goal: 1.5 };
  const rows = [];
  for (const inFlight of [1, 16, 64])
    rows.push(await throughput(lab, { id: 'P2', what, inFlight, messages: 1, reference: 'ws3', ...limits }));
  return rows;
}

export async function P3(lab) {
  const rounds = await byTurns(lab.rounds, {
    ours: await ours(lab, 1, 3),
    other: await bare(lab, 'ws', 1),
    hop: await bare(lab, 'hop', 1),
  });
  const value = ({ p50 }) => p50;
  const show = (ms) => `${(ms * 1000).toFixed(0)} µs`;
  const what = 'p50 of one open, write, close at a time';
  return [
    row(rounds, { id: 'P3', what, reference: 'ws3', value, show, atMost: true, floor: 2.3, goal: 1.7 }),
    row(rounds, { id: '', what: 'hop in the place of ours', reference: 'ws3', own: 'hop', value, show }),
  ];
}

/** A POST of 2 KB, 64 in flight. */
async function posts(lab) {
  const engine = await lab.engine();
  const token = await engine.task('light');
  const nodeRed = await lab.reference('nodeRed');
  const http = await lab.reference('http');
  const options = { ...lab.load, inFlight: 64, expect: '"words":' };
  return {
    ours: () =>
      lab.run('post', {
        ...options,
        url: `${engine.http}/webhook?token=${token}`,
        headers: { authorization: `Bearer ${engine.key}` },
      }),
    other: () => lab.run('post', { ...options, url: `${nodeRed.url}/light` }),
    http: () => lab.run('post', { ...options, url: `${http.url}/` }),
  };
}

export async function P4(lab) {
  const rounds = await byTurns(lab.rounds, await posts(lab));
  const value = ({ perSecond }) => perSecond;
  const common = { reference: 'node-red', value, show: perSecond };
  return [
    row(rounds, { id: 'P4', what: 'HTTP POST of 2 KB, 64 in flight', floor: 2, goal: 3.5, ...common }),
    row(rounds, { id: '', what: 'bare node:http in the place of ours', own: 'http', ...common }),
  ];
}

/** CPU seconds per item of all processes of a cell. */
async function withCpu(pid, measure) {
  const before = await cpuSeconds(pid);
  const result = await measure();
  return { ...result, cpu: ((await cpuSeconds(pid)) - before) / result.items };
}

const microseconds = (seconds) => `${(seconds * 1e6).toFixed(Math.abs(seconds) < 1e-5 ? 2 : 0)} µs`;

export async function P5(lab) {
  const engine = await lab.engine();
  const nodeRed = await lab.reference('nodeRed');
  const through = async (count) => {
    const options = { ...lab.load, ...engine.target(await engine.task(`pass ${count}`)), inFlight: 64, messages: 1 };
    return () => withCpu(engine.pid, () => lab.run('send', options));
  };
  const peer = (count) => () =>
    withCpu(nodeRed.pid, () => lab.run('post', { ...lab.load, url: `${nodeRed.url}/pass/${count}`, inFlight: 64 }));
  const rounds = await byTurns(lab.rounds, {
    none: await through(0),
    fifty: await through(50),
    peerNone: peer(0),
    peerFifty: peer(50),
  });
  const slopes = rounds.map(({ none, fifty, peerNone, peerFifty }) => ({
    ours: (fifty.cpu - none.cpu) / 50,
    other: (peerFifty.cpu - peerNone.cpu) / 50,
  }));
  const limits = { atMost: true, floor: 0.25, goal: 0.05 };
  const what = 'CPU of one more pass-through component (slope from 0 to 50)';
  return [row(slopes, { id: 'P5', what, reference: 'node-red', value: (cost) => cost, show: microseconds, ...limits })];
}

export async function P6(lab) {
  const engine = await lab.engine();
  const hop = await lab.reference('hop');
  const nodeRed = await lab.reference('nodeRed');
  const http = await posts(lab);
  const three = await ours(lab, 64, 3);
  const one = await ours(lab, 64, 1);
  const bareHop = await bare(lab, 'hop', 64);
  const rounds = await byTurns(lab.rounds, {
    ours: () => withCpu(engine.pid, three),
    one: () => withCpu(engine.pid, one),
    http: () => withCpu(engine.pid, http.ours),
    hop: () => withCpu(hop.pid, bareHop),
    other: () => withCpu(nodeRed.pid, http.other),
  });
  const common = { reference: 'node-red', value: ({ cpu }) => cpu, show: microseconds, atMost: true };
  const limits = { floor: 0.6, goal: 0.45 };
  return [
    row(rounds, { id: 'P6', what: 'CPU per item, all processes: open, write, close', ...limits, ...common }),
    row(rounds, { id: 'P6', what: 'the same in one message', own: 'one', ...limits, ...common }),
    row(rounds, { id: '', what: 'the same over HTTP', own: 'http', ...common }),
    row(rounds, { id: '', what: 'hop in the place of ours', own: 'hop', ...common }),
  ];
}

export async function P16(lab) {
  const rounds = await byTurns(lab.rounds, {
    other: await ours(lab, 64, 3),
    summary: await ours(lab, 64, 3, 'summary'),
    full: await ours(lab, 64, 3, 'full'),
  });
  const common = { reference: 'no trace', value: ({ perSecond }) => perSecond, show: perSecond };
  return [
    row(rounds, { id: 'P16', what: 'traced at level summary', own: 'summary', floor: 0.8, goal: 0.95, ...common }),
    row(rounds, { id: 'P16', what: 'traced at level full', own: 'full', floor: 0.6, goal: 0.8, ...common }),
  ];
}
