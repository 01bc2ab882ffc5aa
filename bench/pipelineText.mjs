import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './lab.mjs';

/**
 * The text of a sound pipeline as an editor saves it: a web hook, then rows of components that feed each other, of as
 * many providers as the catalogue has, with their configuration. The same text each time.
 *
 * @returns JSON with an indentation of two
 */
export async function pipelineText(count) {
  const { providers } = JSON.parse(await readFile(path.join(root, 'pipeline', 'catalog.json'), 'utf8'));
  const steps = providers.filter(({ lanes }) => lanes._source === undefined);
  const components = [{ id: 'in', provider: 'webhook', name: 'Entry', config: { mode: 'Source', type: 'webhook' } }];
  /** Lane → the latest components that send it. */
  const senders = new Map(providers.find(({ id }) => id === 'webhook').lanes._source.map((lane) => [lane, ['in']]));
  for (let at = 0; components.length < count; at++) {
    const { id: provider, lanes, defaultProfile, profiles, title } = steps[at % steps.length];
    const lane = Object.keys(lanes).find((each) => senders.has(each));
    if (lane === undefined) continue;
    const id = `${provider.replaceAll('-', '_')}_${at}`;
    const known = senders.get(lane);
    const input = [{ lane, from: known[(at * 7) % known.length] }];
    components.push({ id, provider, name: `${title} ${at}`, config: config(defaultProfile, profiles, at), input });
    for (const sent of lanes[lane]) senders.set(sent, [...(senders.get(sent) ?? []), id].slice(-5));
  }
  const about = { name: 'Benchmark', description: 'A large pipeline', project_id: 'bench', source: 'in', version: 1 };
  return `${JSON.stringify({ ...about, components }, undefined, 2)}\n`;
}

/** The section of the profile as the editor's forms write it: every value of the profile once more. */
function config(profile, profiles = {}, at) {
  const common = { hideForm: false, parameters: { note: `Written by hand, number ${at}`, storePath: `/data/${at}` } };
  return profile === undefined ? common : { profile, [profile]: { ...profiles[profile] }, ...common };
}
