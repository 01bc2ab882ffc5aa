import { setTimeout as delay } from 'node:timers/promises';
import { watchGrowth } from '../processes.mjs';
import { byTurns, medianOf } from '../rounds.mjs';
import { judge, row } from '../rows.mjs';
import { Session } from '../session.mjs';

const perSecond = 50_000;

export async function P15(lab) {
  // An engine of its own, so that its memory starts from idle.
  const engine = await lab.startEngine();
  try {
    const seconds = lab.quick ? 2 : 5;
    const other = await engine.task('light');
    const rates = [];
    const measure = async (withReader) => {
      const noisy = await engine.start('chatter', 'full');
      const stopReading = withReader ? await slowReader(engine, noisy) : () => undefined;
      const growth = await watchGrowth([engine.pid]);
      const changes = engine.sendText(noisy, JSON.stringify({ perSecond, seconds }));
      await delay(300);
      const load = { seconds: seconds - 0.6, maxItems: 100_000, inFlight: 1, messages: 3 };
      const { p99 } = await lab.run('send', { ...load, ...engine.target(other) });
      rates.push((await changes).changes[0] / seconds);
      const [grown] = await growth.stop();
      stopReading();
      await engine.terminate(noisy);
      return { p99, grown };
    };
    // The p99 of a round is made of some thirty items: it takes more rounds than elsewhere.
    const rounds = await byTurns(lab.quick ? lab.rounds : 11, {
      ours: () => measure(true),
      other: () => measure(false),
    });
    const rate = Math.round(Math.min(...rates) / 1000);
    const what = `${rate},000 changes/s in a task, one reader at 1 message/s`;
    const most = Math.max(...rounds.map(({ ours }) => ours.grown));
    const without = medianOf(rounds, (round) => round.other.grown);
    const show = (ms) => `${ms.toFixed(2)} ms`;
    const p99 = { value: (record) => record.p99, show, atMost: true, floor: 1.1, goal: 1.03 };
    return [
      {
        id: 'P15',
        what: `${what}: the server's memory above the start of the round, at most`,
        ours: `${Math.round(most)} MB`,
        reference: `${Math.round(without)} MB (no reader)`,
        ...judge(most, { atMost: true, floor: 50, goal: 20, unit: 'MB' }),
        spread: '',
      },
      row(rounds, { id: 'P15', what: "p99 of another client's open, write, close", reference: 'no reader', ...p99 }),
    ];
  } finally {
    await engine.stop();
  }
}

/** A client that asked for everything about the task and hardly reads. */
async function slowReader(engine, token) {
  const session = await Session.open(engine.url, engine.key, () => undefined);
  await session.request('rrext_monitor', { token, types: ['all'] });
  return session.readSlowly();
}
