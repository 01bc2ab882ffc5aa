import type { Catalogue, Definition, PlannedProvider } from '../catalogue.js';
import type { ControlLink, InputLink, Pipeline } from '../model.js';
import { isSourceConfig, type Outline } from '../outline.js';
import { isName, isRecord, type Path } from '../values.js';

export interface PartLink {
  readonly from: string;
  /** The lane of an input link, the class type of a control link. */
  readonly type: string;
  readonly index: number;
  readonly member: 'input' | 'control';
}

/** What the others see of a component, as far as it is sound, with the places of what it consists of. */
export interface Part {
  readonly id: string;
  readonly provider: string;
  readonly definition: Definition | undefined;
  readonly planned: PlannedProvider | undefined;
  /** Whether it says of itself that it is a source. */
  readonly isSource: boolean;
  readonly input: readonly PartLink[];
  readonly control: readonly PartLink[];
  /** Whether a link is broken, so that nobody can say what leads here. */
  readonly isTorn: boolean;
  /** Whether there is a list of control links, sound or not. */
  readonly isControlled: boolean;
  /** Among the components. */
  readonly index: number;
  readonly path: Path;
}

/** A component as it is written. */
export type Written = Readonly<Record<string, unknown>>;

/** The components that have an id, the first of each. */
export function partsOf({ components, ids }: Outline, catalogue: Catalogue): Map<string, Part> {
  const parts = new Map<string, Part>();
  components.forEach((raw, index) => {
    if (!isRecord(raw) || !isName(raw.id) || ids.get(raw.id) !== index) return;
    const path = ['components', index];
    const provider = isName(raw.provider) ? raw.provider : '';
    const input = linksOf(raw, 'input', ids);
    const control = linksOf(raw, 'control', ids);
    const definition = catalogue.find(provider);
    parts.set(raw.id, {
      id: raw.id,
      provider,
      definition,
      planned: definition === undefined ? catalogue.planned(provider) : undefined,
      isSource: isSourceConfig(raw.config),
      input: input.links,
      control: control.links,
      isTorn: input.isTorn || control.isTorn,
      isControlled: Array.isArray(raw.control),
      index,
      path,
    });
  });
  return parts;
}

/** The same as a pipeline, for what walks along its links. */
export function pipelineOf(parts: ReadonlyMap<string, Part>): Pipeline {
  const components = [...parts.values()].map(({ id, provider, input, control }) => ({
    id,
    provider,
    config: {},
    input: input.map(({ from, type }): InputLink => ({ from, lane: type })),
    control: control.map(({ from, type }): ControlLink => ({ from, classType: type })),
  }));
  return { components };
}

/** The place of a link of a component. */
export function linkPath({ path }: Part, { member, index }: PartLink): Path {
  return [...path, member, index];
}

function linksOf(
  written: Written,
  member: PartLink['member'],
  ids: Outline['ids'],
): { links: PartLink[]; isTorn: boolean } {
  const list = written[member];
  if (!Array.isArray(list)) return { links: [], isTorn: list !== undefined && list !== null };
  const kind = member === 'input' ? 'lane' : 'classType';
  const links: PartLink[] = [];
  (list as unknown[]).forEach((link, index) => {
    if (!isRecord(link) || !isName(link.from) || !isName(link[kind]) || !ids.has(link.from)) return;
    links.push({ from: link.from, type: link[kind], index, member });
  });
  return { links, isTorn: links.length < list.length };
}
