import {
  type Catalogue,
  type ControlNeed,
  type Definition,
  makeCatalogue,
  type OpaqueProvider,
} from '../../../pipeline/catalogue.js';
import { isLane, type Lane } from '../../../pipeline/model.js';
import { isRecord } from '../../../pipeline/values.js';

/**
 * The catalogue of a server by the `services` of its answer, with what only the bundle knows: other spellings, and the
 * providers that servers do not list. Of a provider that is described in another way than ours, nothing but its
 * existence is taken, so that nothing wrong is said about it.
 *
 * @returns undefined when the answer names no provider
 */
export function servedCatalogue(services: unknown, bundle: Catalogue): Catalogue | undefined {
  const entries = isRecord(services) ? Object.entries(services).filter(([id]) => id !== '') : [];
  if (entries.length === 0) return undefined;
  const definitions: Definition[] = [];
  const opaque: OpaqueProvider[] = [];
  for (const [id, description] of entries) {
    const definition = asDefinition(id, description);
    if (definition === undefined) opaque.push(asOpaque(id, description));
    else definitions.push(withSpellings(definition, bundle.find(id)));
  }
  const served = new Set(entries.map(([id]) => id));
  const unlisted = bundle.all().filter(({ id, capabilities }) => capabilities.includes('internal') && !served.has(id));
  const planned = new Map(
    bundle
      .ids()
      .flatMap((id) => bundle.planned(id) ?? [])
      .map((each) => [each.id, each]),
  );
  for (const id of served) planned.delete(id);
  // A server of another make may run what this release does not.
  const isOurs = opaque.length === 0;
  return makeCatalogue([...definitions, ...unlisted], isOurs ? [...planned.values()] : [], opaque);
}

function asDefinition(id: string, given: unknown): Definition | undefined {
  if (!isRecord(given)) return undefined;
  const { title, description, classType, lanes, control, Pipe: pipe, defaultProfile, profiles } = given;
  const schema = isRecord(pipe) ? pipe.schema : undefined;
  const isComplete =
    typeof title === 'string' &&
    typeof description === 'string' &&
    isNames(classType) &&
    isLanes(lanes) &&
    isControl(control) &&
    isRecord(schema) &&
    schema.type === 'object' &&
    (profiles === undefined || (isRecord(profiles) && Object.values(profiles).every(isRecord))) &&
    (defaultProfile === undefined || typeof defaultProfile === 'string');
  if (!isComplete) return undefined;
  return {
    id,
    title,
    description,
    classType,
    capabilities: [],
    lanes,
    control,
    config: schema,
    ...(defaultProfile === undefined ? {} : { defaultProfile }),
    ...(profiles === undefined ? {} : { profiles: profiles as NonNullable<Definition['profiles']> }),
  };
}

function asOpaque(id: string, given: unknown): OpaqueProvider {
  const { title, description } = isRecord(given) ? given : {};
  const lines: unknown[] = Array.isArray(description) ? description : [description];
  return {
    id,
    title: typeof title === 'string' && title !== '' ? title : id,
    description: lines.filter((line) => typeof line === 'string').join('\n'),
  };
}

/** What a server does not tell and the bundle knows of the same provider. */
function withSpellings(definition: Definition, known: Definition | undefined): Definition {
  const { aliases, profileAliases, capabilities = [] } = known ?? {};
  return {
    ...definition,
    capabilities,
    ...(aliases === undefined ? {} : { aliases }),
    ...(profileAliases === undefined ? {} : { profileAliases }),
  };
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isLanes(value: unknown): value is Record<string, Lane[]> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([lane, out]) => (lane === '_source' || isLane(lane)) && Array.isArray(out) && out.every(isLane),
  );
}

function isControl(value: unknown): value is { takes: Record<string, ControlNeed>; offers: string[] } {
  if (!isRecord(value) || !isNames(value.offers) || !isRecord(value.takes)) return false;
  return Object.values(value.takes).every((need) => isRecord(need) && typeof need.min === 'number');
}
