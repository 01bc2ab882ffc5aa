import { inputProblem, type LaneProblem, needProblem, outputProblem } from '../joining.js';
import { isLane } from '../model.js';
import { nearest } from '../nearest.js';
import { quote, quoteList } from '../values.js';
import type { Advice } from './findings.js';
import { linkPath, type Part, type PartLink } from './parts.js';

/** What the links of the components say: lanes, class types, and links that say nothing. */
export function adviseLinks(parts: ReadonlyMap<string, Part>, advice: Advice): void {
  for (const part of parts.values()) {
    if (part.input.length > 0) {
      adviseRepeated(part, part.input, advice);
      for (const link of part.input) adviseInput(part, link, parts.get(link.from), advice);
    }
    if (part.control.length > 0) {
      adviseRepeated(part, part.control, advice);
      for (const link of part.control) adviseControl(part, link, parts.get(link.from), advice);
    }
  }
  adviseNeeds(parts, advice);
}

function adviseRepeated(part: Part, links: readonly PartLink[], advice: Advice): void {
  const { id } = part;
  // Most components have one link, and a large pipeline is looked at after every key.
  if (links.length === 1 && links[0]?.from !== id) return;
  const first = new Map<string, PartLink>();
  for (const link of links) {
    const key = JSON.stringify([link.from, link.type]);
    const known = first.get(key);
    if (known === undefined) first.set(key, link);
    else {
      const message = `Component ${quote(id)}: this link from ${quote(link.from)} is written twice; it counts once`;
      const related = [{ path: linkPath(part, known), message: 'The first one' }];
      advice.add(
        'link_duplicate',
        message,
        { path: linkPath(part, link) },
        { component: id, related, tags: ['unnecessary'] },
      );
    }
    if (link.from === id) {
      const message = `Component ${quote(id)} is linked to itself; no data ever comes from there`;
      advice.add('link_self', message, { path: [...linkPath(part, link), 'from'] }, { component: id });
    }
  }
}

function adviseInput(part: Part, link: PartLink, sender: Part | undefined, advice: Advice): void {
  const { id, definition } = part;
  // An unknown lane is an error already, and a link to itself is wrong with any lane.
  if (sender === undefined || sender === part || !isLane(link.type)) return;
  const produced =
    sender.definition === undefined
      ? undefined
      : outputProblem(id, { id: sender.id, definition: sender.definition }, link.type);
  const accepted = definition === undefined ? undefined : inputProblem({ id, definition }, link.type);
  // One wrong lane is one finding: the sender says which lanes there are.
  const problem = [produced, accepted].find(isCertain) ?? produced ?? accepted;
  if (problem === undefined) return;
  const sent = [...new Set(Object.values(sender.definition?.lanes ?? {}).flat())];
  const joining = definition === undefined ? sent : sent.filter((lane) => Object.hasOwn(definition.lanes, lane));
  const related = [{ path: [...sender.path, 'provider'], message: `${quote(sender.id)} is a ${sender.provider}` }];
  const data = { from: sender.id, lane: link.type, replacements: joining };
  advice.add(
    problem.code,
    problem.message,
    { path: [...linkPath(part, link), 'lane'] },
    { component: id, related, data },
  );
}

function isCertain(problem: LaneProblem | undefined): problem is LaneProblem {
  return problem !== undefined && problem.code !== 'lane_unlisted';
}

function adviseControl(part: Part, link: PartLink, controller: Part | undefined, advice: Advice): void {
  const { id, definition } = part;
  if (controller === undefined || controller === part) return;
  const { type } = link;
  const takes = controller.definition?.control.takes;
  if (takes !== undefined && !Object.hasOwn(takes, type)) {
    const names = Object.keys(takes);
    const isReversed =
      definition !== undefined &&
      Object.hasOwn(definition.control.takes, type) &&
      controller.definition?.control.offers.includes(type) === true;
    const title = `${quote(controller.id)} (${controller.definition?.title ?? controller.provider})`;
    const how = isReversed
      ? `the link points the wrong way: put {"classType":${quote(type)},"from":${quote(id)}} into "control" of ${quote(controller.id)}`
      : names.length === 0
        ? 'it uses no other components'
        : `it uses ${quoteList(names)}`;
    const message = `Component ${quote(id)}: ${title} does not use ${quote(type)}; ${how}`;
    const data = { from: controller.id, isReversed, nearest: nearest(type, names), candidates: names };
    const related = [{ path: [...controller.path, 'provider'], message: `${quote(controller.id)} is this` }];
    const place = [...linkPath(part, link), isReversed || names.length === 0 ? 'from' : 'classType'];
    advice.add('control_not_taken', message, { path: place }, { component: id, related, data });
  } else if (definition !== undefined && !definition.control.offers.includes(type)) {
    const { offers } = definition.control;
    const what = offers.length === 0 ? '' : `; it can serve as ${quoteList(offers)}`;
    const message = `Component ${quote(id)} (${definition.title}) cannot serve ${quote(controller.id)} as its ${type}; the control link is ignored${what}`;
    const data = { from: controller.id, candidates: offers };
    const path = [...linkPath(part, link), 'classType'];
    advice.add('control_not_offered', message, { path }, { component: id, data });
  }
}

function adviseNeeds(parts: ReadonlyMap<string, Part>, advice: Advice): void {
  const needing = [...parts.values()].filter(
    ({ definition }) => definition !== undefined && Object.keys(definition.control.takes).length > 0,
  );
  if (needing.length === 0) return;
  const used = new Map<string, { part: Part; link: PartLink }[]>();
  for (const part of parts.values()) {
    for (const link of part.control) {
      const known = used.get(link.from);
      if (known === undefined) used.set(link.from, [{ part, link }]);
      else known.push({ part, link });
    }
  }
  // A broken control link may be the one that is missed.
  const isTorn = [...parts.values()].some((part) => part.isTorn && part.isControlled);
  for (const { id, definition, path } of needing) {
    if (definition === undefined) continue;
    const all = used.get(id) ?? [];
    const isAside = all.some(({ link }) => !Object.hasOwn(definition.control.takes, link.type));
    for (const [classType, need] of Object.entries(definition.control.takes)) {
      const asked = all.filter(({ link }) => link.type === classType);
      const offered = asked.filter(({ part }) => part.definition?.control.offers.includes(classType) !== false);
      const problem = needProblem({ id, definition }, classType, need, [
        ...new Set(offered.map(({ part }) => part.id)),
      ]);
      if (problem === undefined) continue;
      // What points here with a wrong class, or cannot serve, has a finding of its own.
      const isExplained = isTorn || isAside || asked.length > offered.length;
      if (problem.code === 'control_missing' && isExplained) continue;
      const related = offered.map(({ part, link }) => ({
        path: linkPath(part, link),
        message: `${quote(part.id)} is one`,
      }));
      advice.add(
        problem.code,
        problem.message,
        { path: [...path, 'id'] },
        { component: id, related, data: { classType } },
      );
    }
  }
}
