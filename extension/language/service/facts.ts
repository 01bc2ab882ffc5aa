import type { Catalogue, Definition } from '../../../pipeline/catalogue.js';
import { isLane, type Lane } from '../../../pipeline/model.js';
import { allowedValues } from '../../../pipeline/schema.js';
import { isRecord } from '../../../pipeline/values.js';
import type { ComponentNode, PipelineDocument } from './pipelineDocument.js';

/** What the catalogue says about the components of a document, and how they hang together. */

export function definitionOf(component: ComponentNode | undefined, catalogue: Catalogue): Definition | undefined {
  return component?.provider === undefined ? undefined : catalogue.find(component.provider.value);
}

export function isSource({ lanes }: Definition): boolean {
  return lanes._source !== undefined;
}

/** The lanes a provider may put out. */
export function producedLanes({ lanes }: Definition): Lane[] {
  return [...new Set(Object.values(lanes).flat())].filter(isLane);
}

/** The lanes a provider takes in. */
export function acceptedLanes({ lanes }: Definition): Lane[] {
  return Object.keys(lanes).filter(isLane);
}

/** The lanes that may join two providers; all that are produced when the receiver is unknown. */
export function joiningLanes(from: Definition | undefined, to: Definition | undefined): Lane[] {
  const produced = from === undefined ? [] : producedLanes(from);
  if (to === undefined) return produced;
  const accepted = acceptedLanes(to);
  return produced.filter((lane) => accepted.includes(lane));
}

/** The ids of everything that data of a component reaches, itself included. */
export function downstream({ components }: PipelineDocument, id: string): Set<string> {
  const receivers = new Map<string, string[]>();
  for (const { id: to, links } of components) {
    for (const { kind, from } of links) {
      if (kind !== 'input' || from === undefined || to === undefined) continue;
      const known = receivers.get(from.value);
      if (known === undefined) receivers.set(from.value, [to.value]);
      else known.push(to.value);
    }
  }
  const reached = new Set([id]);
  for (const from of reached) for (const to of receivers.get(from) ?? []) reached.add(to);
  return reached;
}

/** The values that a schema lists. */
export function choicesOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  return allowedValues(schema) ?? [];
}

/** The settings of a section of `config` by their names. */
export function settingsAt(
  definition: Definition,
  path: readonly (string | number)[],
): { properties: Record<string, Record<string, unknown>>; required: readonly string[] } {
  const isSection = path.length === 1 && Object.hasOwn(definition.profiles ?? {}, path[0] as string);
  const schema = path.length === 0 || isSection ? definition.config : settingSchema(definition, path);
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  const required = Array.isArray(schema?.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  return {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, isRecord(each) ? each : {}]),
    ),
    required,
  };
}

/** The schema of a setting, by its path inside `config`. A profile's section has the settings of the whole. */
export function settingSchema(
  { config, profiles = {} }: Definition,
  path: readonly (string | number)[],
): Record<string, unknown> | undefined {
  const [first, ...rest] = path;
  const inSection = typeof first === 'string' && Object.hasOwn(profiles, first);
  let schema: unknown = config;
  for (const step of inSection ? rest : path) {
    if (!isRecord(schema)) return undefined;
    if (typeof step === 'number') schema = schema.items;
    else schema = isRecord(schema.properties) ? schema.properties[step] : undefined;
  }
  return isRecord(schema) ? schema : undefined;
}
