import type { Lane } from './model.js';

/** A JSON Schema; components write theirs with TypeBox. */
export type JsonSchema = Record<string, unknown>;

export interface ControlNeed {
  min: number;
  max?: number;
}

/**
 * What is known about a provider without loading it: the single source for validation, `services`, the editor's
 * completion and the documentation.
 */
export interface Definition {
  /** Provider id, as written in `provider`. */
  id: string;
  title: string;
  /** One or two plain sentences: what it does, what it emits. */
  description: string;
  /** For example `source`, `llm`, `text`, `infrastructure`. */
  classType: readonly string[];
  /** Words of the catalogue: `internal`, `noinclude`, `filesystem`, `experimental`, … */
  capabilities: readonly string[];
  /** Input lane → lanes it may emit for it. Sources use the key `_source`. */
  lanes: Readonly<Partial<Record<Lane | '_source', readonly Lane[]>>>;
  control: { takes: Readonly<Record<string, ControlNeed>>; offers: readonly string[] };
  /** Schema of the resolved configuration (after profiles), used at start. Unknown keys are allowed. */
  config: JsonSchema;
  /** Profile used when the component names none. */
  defaultProfile?: string;
  profiles?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Dead profile name → live one. */
  profileAliases?: Readonly<Record<string, string>>;
  /** Other spellings of the id that files in the wild use. */
  aliases?: readonly string[];
}

/** A provider that validation knows but this release cannot run. */
export interface PlannedProvider {
  id: string;
  title: string;
  classType: readonly string[];
  lanes: Readonly<Partial<Record<Lane | '_source', readonly Lane[]>>>;
  /** A sentence: what to use instead, or why it is not here. */
  instead: string;
  aliases?: readonly string[];
}

/** A provider that exists on some server, of which nothing else is known: nothing can be said about its use. */
export interface OpaqueProvider {
  id: string;
  title: string;
  description: string;
}

/** The providers a server knows. */
export interface Catalogue {
  /** The definition of a provider id or alias. */
  find(provider: string): Definition | undefined;
  planned(provider: string): PlannedProvider | undefined;
  opaque(provider: string): OpaqueProvider | undefined;
  all(): readonly Definition[];
  /** Every id that is not an error in a pipeline, for "did you mean". */
  ids(): readonly string[];
}

export function makeCatalogue(
  definitions: readonly Definition[],
  planned: readonly PlannedProvider[] = [],
  opaque: readonly OpaqueProvider[] = [],
): Catalogue {
  const byId = index(definitions);
  const plannedById = index(planned);
  const opaqueById = index(opaque);
  return {
    find: (provider) => byId.get(provider),
    planned: (provider) => plannedById.get(provider),
    opaque: (provider) => opaqueById.get(provider),
    all: () => definitions,
    ids: () => [...byId.keys(), ...plannedById.keys(), ...opaqueById.keys()],
  };
}

function index<T extends { id: string; aliases?: readonly string[] }>(entries: readonly T[]): Map<string, T> {
  const map = new Map<string, T>();
  for (const entry of entries) for (const alias of entry.aliases ?? []) map.set(alias, entry);
  for (const entry of entries) map.set(entry.id, entry);
  return map;
}
