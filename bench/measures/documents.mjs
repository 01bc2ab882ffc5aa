import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../lab.mjs';
import { byTurns } from '../rounds.mjs';
import { perSecond, row } from '../rows.mjs';

export async function P18(lab) {
  const folder = path.join(root, 'examples', 'documents');
  const files = (await readdir(folder)).map((name) => path.join(folder, name));
  const load = { files, seconds: lab.quick ? 1 : 3, maxItems: 5000 };
  const engine = await lab.engine();
  const token = await engine.task('parse');
  const libraries = await lab.reference('parse');
  const rounds = await byTurns(lab.rounds, {
    ours: () => lab.run('send', { ...load, ...engine.target(token), inFlight: 4, messages: 1 }),
    other: async () => (await fetch(libraries.url, { method: 'POST', body: JSON.stringify(load) })).json(),
  });
  const what = `documents of examples/documents through webhook → parse → response, 4 in flight`;
  const value = (result) => result.perSecond;
  const limits = { floor: 0.75, goal: 0.9 };
  return [row(rounds, { id: 'P18', what, reference: 'bare libraries in a loop', value, show: perSecond, ...limits })];
}
