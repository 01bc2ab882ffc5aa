import type { Catalogue, Definition, PlannedProvider } from '../catalogue.js';
import type { ControlLink, InputLink, Pipeline } from '../model.js';
import { isName, isRecord, type Path } from '../values.js';

export interface PartLink {
  readonly from: string;
  /** The lane of an input link, the class type of a control link. */
  readonly type: string;
  readonly index: number;
  readonly path: Path;
}

/** A component as far as it is sound, with the places of what it consists of. */
export interface Part {
  readonly id: string;
  readonly provider: string;
  readonly definition: Definition | undefined;
  readonly planned: PlannedProvider | undefined;
  readonly config: Readonly<Record<string, unknown>>;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly input: readonly PartLink[];
  readonly control: readonly PartLink[];
  /** Whether a link is broken, so that nobody can say what leads here. */
  readonly isTorn: boolean;
  readonly path: Path;
}

/** The components of a pipeline that have an id, the first of each. */
export function partsOf(pipeline: Readonly<Record<string, unknown>>, catalogue: Catalogue): Map<string, Part> {
  const parts = new Map<string, Part>();
  const components = Array.isArray(pipeline.components) ? (pipeline.components as unknown[]) : [];
  const ids = new Set(components.flatMap((each) => (isRecord(each) && isName(each.id) ? [each.id] : [])));
  components.forEach((raw, index) => {
    if (!isRecord(raw) || !isName(raw.id) || parts.has(raw.id)) return;
    const path = ['components', index];
    const provider = isName(raw.provider) ? raw.provider : '';
    const input = linksOf(raw.input, 'lane', [...path, 'input'], ids);
    const control = linksOf(raw.control, 'classType', [...path, 'control'], ids);
    const definition = catalogue.find(provider);
    parts.set(raw.id, {
      id: raw.id,
      provider,
      definition,
      planned: definition === undefined ? catalogue.planned(provider) : undefined,
      config: isRecord(raw.config) ? raw.config : {},
      raw,
      input: input.links,
      control: control.links,
      isTorn: input.isTorn || control.isTorn,
      path,
    });
  });
  return parts;
}

/** The same as a pipeline, for what walks along its links. */
export function pipelineOf(parts: ReadonlyMap<string, Part>): Pipeline {
  const components = [...parts.values()].map(({ id, provider, config, input, control }) => ({
    id,
    provider,
    config,
    input: input.map(({ from, type }): InputLink => ({ from, lane: type })),
    control: control.map(({ from, type }): ControlLink => ({ from, classType: type })),
  }));
  return { components };
}

function linksOf(
  list: unknown,
  type: 'lane' | 'classType',
  path: Path,
  ids: ReadonlySet<string>,
): { links: PartLink[]; isTorn: boolean } {
  if (!Array.isArray(list)) return { links: [], isTorn: list !== undefined && list !== null };
  const links: PartLink[] = [];
  (list as unknown[]).forEach((link, index) => {
    if (!isRecord(link) || !isName(link.from) || !isName(link[type]) || !ids.has(link.from)) return;
    links.push({ from: link.from, type: link[type], index, path: [...path, index] });
  });
  return { links, isTorn: links.length < list.length };
}
