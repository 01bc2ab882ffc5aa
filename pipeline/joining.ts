import type { ControlNeed, Definition } from './catalogue.js';
import type { Lane } from './model.js';
import { clip, quote, quoteList } from './values.js';

/** Lanes that providers can serve although their definition does not list them: accepted with a warning. */
const unlistedOutputs: Readonly<Record<string, readonly Lane[]>> = {
  ocr: ['documents'],
  audio_transcribe: ['documents'],
  search_exa: ['questions'],
  webhook: ['documents', 'answers', 'table', 'classifications', 'classificationContext'],
};

function takesUnlisted(provider: string, lane: string): boolean {
  return lane === 'table' && (provider.startsWith('db_') || provider === 'preprocessor_code');
}

/** One end of a link: a component and what is known about its provider. */
export interface End {
  readonly id: string;
  readonly definition: Definition;
}

export interface LaneProblem {
  readonly code: 'lane_unlisted' | 'lane_not_produced' | 'lane_not_accepted';
  readonly message: string;
}

/** Why a component cannot send a lane to another one, or may not. */
export function outputProblem(receiver: string, sender: End, lane: string): LaneProblem | undefined {
  const sent: readonly (readonly string[])[] = Object.values(sender.definition.lanes);
  if (sent.some((lanes) => lanes.includes(lane))) return undefined;
  const produced = new Set(sent.flat());
  const { id, title } = sender.definition;
  const from = `${quote(sender.id)} (${title})`;
  const unlisted: readonly string[] = Object.hasOwn(unlistedOutputs, id) ? (unlistedOutputs[id] ?? []) : [];
  if (unlisted.includes(lane)) {
    const message = `Component ${quote(receiver)}: ${from} sends ${quote(lane)} only in some cases`;
    return { code: 'lane_unlisted', message };
  }
  const offers = produced.size === 0 ? 'it sends nothing on' : `it sends ${quoteList([...produced])}`;
  const message = `Component ${quote(receiver)}: ${from} does not send ${quote(lane)}; ${offers}`;
  return { code: 'lane_not_produced', message };
}

/** Why a component cannot take a lane in, or may not. */
export function inputProblem({ id, definition }: End, lane: string): LaneProblem | undefined {
  if (lane !== '_source' && Object.hasOwn(definition.lanes, lane)) return undefined;
  const name = `Component ${quote(id)} (${definition.title})`;
  if (takesUnlisted(definition.id, lane)) {
    return { code: 'lane_unlisted', message: `${name} takes ${quote(lane)} only in some cases` };
  }
  const accepted = Object.keys(definition.lanes).filter((each) => each !== '_source');
  const takes = accepted.length === 0 ? 'it takes no input' : `it takes ${quoteList(accepted)}`;
  return { code: 'lane_not_accepted', message: `${name} does not take ${quote(lane)}; ${takes}` };
}

export interface NeedProblem {
  readonly code: 'control_missing' | 'control_too_many';
  readonly message: string;
}

/** Whether a component has as many components of a class to use as it needs. */
export function needProblem(
  { id, definition }: End,
  classType: string,
  need: ControlNeed,
  used: readonly string[],
): NeedProblem | undefined {
  const name = `Component ${quote(id)} (${definition.title})`;
  if (used.length < need.min) {
    const link = JSON.stringify({ classType, from: clip(id) });
    const wanted = need.min === 1 ? `a component as its ${classType}` : `${need.min} components as its ${classType}`;
    const message = `${name} needs ${wanted}: add "control": [${link}] to the component it is to use`;
    return { code: 'control_missing', message };
  }
  if (need.max === undefined || used.length <= need.max) return undefined;
  const message = `${name} takes at most ${need.max} as its ${classType}, but is given ${quoteList(used)}`;
  return { code: 'control_too_many', message };
}
