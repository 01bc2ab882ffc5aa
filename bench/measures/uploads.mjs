import { watchGrowth } from '../processes.mjs';
import { byTurns } from '../rounds.mjs';
import { judge, row } from '../rows.mjs';

const megabyte = 2 ** 20;
const value = ({ megabytesPerSecond }) => megabytesPerSecond;
const show = (rate) => `${Math.round(rate)} MB/s`;

function size(lab) {
  return (lab.quick ? 32 : 256) * megabyte;
}

export async function P7(lab) {
  // An engine of its own, so that its memory starts from idle.
  const engine = await lab.startEngine();
  try {
    const token = await engine.task('sink');
    const sink = await lab.reference('ws');
    const growth = await watchGrowth(await engine.pids());
    const rows = [];
    for (const [name, chunkBytes] of [
      ['64 KiB', 64 * 1024],
      ['1 MiB', megabyte],
    ]) {
      const options = { bytes: size(lab), chunkBytes, window: 8 };
      const rounds = await byTurns(lab.rounds, {
        ours: () => lab.run('upload', { ...options, ...engine.target(token) }),
        other: () => lab.run('upload', { ...options, url: sink.url, token }),
      });
      const what = `upload of ${size(lab) / megabyte} MB in writes of ${name}, window 8`;
      rows.push(row(rounds, { id: 'P7', what, reference: 'raw ws', value, show, floor: 0.7, goal: 0.9 }));
    }
    const grown = await growth.stop();
    return [...rows, memoryRow('P7', 'memory at most above idle during these uploads', grown)];
  } finally {
    await engine.stop();
  }
}

function memoryRow(id, what, grown) {
  const most = Math.max(...grown);
  const each = grown.map((megabytes) => `${Math.round(megabytes)}`).join(' + ');
  return {
    id,
    what: `${what}, the process that grew most`,
    ours: `${each} MB`,
    reference: 'idle',
    ...judge(most, { atMost: true, floor: 64, goal: 32, unit: 'MB' }),
    spread: '',
  };
}

export async function P8(lab) {
  const engine = await lab.startEngine();
  try {
    const token = await engine.task('sink');
    const sink = await lab.reference('http');
    const bytes = size(lab);
    const rounds = await byTurns(lab.rounds, {
      ours: () =>
        lab.run('postUpload', {
          bytes,
          url: `${engine.http}/task/data?token=${token}`,
          headers: { authorization: `Bearer ${engine.key}` },
        }),
      other: () => lab.run('postUpload', { bytes, url: `${sink.url}/` }),
    });
    const what = `HTTP upload of ${bytes / megabyte} MB to /task/data`;
    return [row(rounds, { id: 'P8', what, reference: 'bare node:http', value, show, floor: 0.4, goal: 0.7 })];
  } finally {
    await engine.stop();
  }
}
