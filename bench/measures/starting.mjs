import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { memory } from '../processes.mjs';
import { byTurns } from '../rounds.mjs';
import { row } from '../rows.mjs';

const milliseconds = (ms) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
const value = (ms) => ms;

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** `node -e 0`, from its start to its end. */
function bareNode() {
  return timed(
    () =>
      new Promise((resolve, reject) => {
        spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).once('error', reject).once('exit', resolve);
      }),
  );
}

/** Milliseconds from the start request of `count` tasks to the last of them running. They are ended again. */
async function startTasks(engine, count) {
  let tokens = [];
  const took = await timed(async () => {
    tokens = await Promise.all(Array.from({ length: count }, () => engine.start('pass 0')));
  });
  await Promise.all(tokens.map((token) => engine.terminate(token)));
  return took;
}

export async function P9(lab) {
  const cold = await lab.engine({ warm: 0, plain: true });
  const warm = await lab.engine({ warm: 1, plain: true });
  const rounds = await byTurns(lab.rounds, {
    bare: bareNode,
    cold: () => startTasks(cold, 1),
    bareAgain: bareNode,
    warm: async () => {
      // The spare worker is made a moment after the last one was taken.
      await delay(1500);
      return startTasks(warm, 1);
    },
    burst: async () => {
      await delay(1500);
      return startTasks(warm, 16);
    },
  });
  // The two starts of bare Node in a round are one measurement.
  const records = rounds.map((round) => ({ ...round, other: (round.bare + round.bareAgain) / 2 }));
  const common = { id: 'P9', reference: 'node -e 0', value: (ms) => ms, show: milliseconds, atMost: true };
  return [
    row(records, { what: 'task start to RUNNING, no spare worker', own: 'cold', floor: 1.8, goal: 1.4, ...common }),
    row(records, { what: 'with a spare worker', own: 'warm', floor: 0.1, goal: 0.03, ...common }),
    row(records, { what: '16 at once', own: 'burst', floor: 14, goal: 8, ...common }),
  ];
}

/** From the start of the engine's process with its defaults to the result of a first object. */
async function firstResult(lab) {
  let engine;
  try {
    return await timed(async () => {
      engine = await lab.startEngine({ plain: true });
      const token = await engine.task('pass 0');
      await engine.sendText(token);
    });
  } finally {
    await engine?.stop();
  }
}

async function firstAnswer(lab) {
  let cell;
  try {
    return await timed(async () => {
      cell = await lab.startReference('nodeRed');
      await postLight(cell.url);
    });
  } finally {
    await cell?.stop();
  }
}

async function postLight(url) {
  const headers = { 'content-type': 'text/plain' };
  const response = await fetch(`${url}/light`, { method: 'POST', headers, body: 'some  words' });
  if (!response.ok) throw new Error(`node-red answered ${response.status}`);
  await response.text();
}

export async function P10(lab) {
  const rounds = await byTurns(lab.rounds, { ours: () => firstResult(lab), other: () => firstAnswer(lab) });
  const limits = { floor: 0.6, goal: 0.35, atMost: true };
  const what = 'process start to first result';
  return [row(rounds, { id: 'P10', what, reference: 'node-red', value, show: milliseconds, ...limits })];
}

/** Memory a few seconds after one object, with nothing to do. */
async function idle(start, use) {
  const cell = await start();
  try {
    await use(cell);
    await delay(3000);
    return await memory(cell.pid);
  } finally {
    await cell.stop();
  }
}

export async function P11(lab) {
  const rounds = await byTurns(lab.rounds, {
    ours: () =>
      idle(
        () => lab.startEngine({ warm: 0 }),
        async (engine) => engine.sendText(await engine.task('light')),
      ),
    other: () =>
      idle(
        () => lab.startReference('nodeRed'),
        ({ url }) => postLight(url),
      ),
  });
  const show = (megabytes) => `${Math.round(megabytes)} MB`;
  const common = { reference: 'node-red', show, atMost: true };
  const what = 'idle memory of server and one task, no spare worker';
  return [
    row(rounds, { id: 'P11', what: `${what} (PSS)`, value: ({ pss }) => pss, floor: 1.4, goal: 1.0, ...common }),
    row(rounds, { id: '', what: 'the same (RSS, shared pages counted twice)', value: ({ rss }) => rss, ...common }),
  ];
}
