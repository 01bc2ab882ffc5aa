import { isName, isRecord } from './values.js';

/** What the components of a pipeline see of each other. */
export interface Outline {
  readonly components: readonly unknown[];
  /** Id → index of the first component that has it. The same object as long as nothing changed that others see. */
  readonly ids: ReadonlyMap<string, number>;
}

/** The outline of a list of components; `before` is that of the version before, of the same text. */
export function outlineOf(components: readonly unknown[], before?: Outline): Outline {
  const isSame =
    before?.components.length === components.length &&
    components.every((each, index) => looksSame(each, before.components[index]));
  return { components, ids: isSame ? before.ids : idsOf(components) };
}

function idsOf(components: readonly unknown[]): Map<string, number> {
  const ids = new Map<string, number>();
  components.forEach((each, index) => {
    if (isRecord(each) && isName(each.id) && !ids.has(each.id)) ids.set(each.id, index);
  });
  return ids;
}

function looksSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isRecord(a) || !isRecord(b) || a.id !== b.id || a.provider !== b.provider) return false;
  return (
    isSourceConfig(a.config) === isSourceConfig(b.config) && isSame(a.input, b.input) && isSame(a.control, b.control)
  );
}

/** Whether a component says of itself that it is a source. */
export function isSourceConfig(config: unknown): boolean {
  return isRecord(config) && config.mode === 'Source';
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((each, at) => isSame(each, b[at]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}
