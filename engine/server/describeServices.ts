import type { Catalogue, Definition } from '../../pipeline/catalogue.js';

/** The words of the catalogue in the order of their bits on the wire. */
const capabilityWords = [
  'security',
  'filesystem',
  'substream',
  'network',
  'datanet',
  'sync',
  'internal',
  'catalog',
  'nomonitor',
  'noinclude',
  'invoke',
  'remoting',
  'gpu',
  'nosaas',
  'focus',
  'deprecated',
  'experimental',
] as const;

/** The answer to `services` without a name: every provider that is not internal. */
export function describeServices(catalogue: Catalogue): { services: Record<string, ServiceDescription>; version: 1 } {
  const listed = catalogue.all().filter((definition) => !definition.capabilities.includes('internal'));
  return {
    services: Object.fromEntries(listed.map((definition) => [definition.id, describeService(definition)])),
    version: 1,
  };
}

/** One provider as clients know it. `config`, `profiles` and `control` are ours, beside what existing clients read. */
export interface ServiceDescription {
  title: string;
  protocol: string;
  prefix: string;
  description: string;
  classType: readonly string[];
  /** Bit mask of the capabilities. */
  capabilities: number;
  actions: number;
  plans: null;
  lanes: Definition['lanes'];
  control: Definition['control'];
  invoke?: Record<string, { min: number; max?: number }>;
  Pipe: { schema: Definition['config']; ui: Record<string, never> };
  defaultProfile?: string;
  profiles?: Definition['profiles'];
}

export function describeService(definition: Definition): ServiceDescription {
  const { id, title, description, classType, lanes, control, config, defaultProfile, profiles } = definition;
  return {
    title,
    protocol: `${id}://`,
    prefix: id,
    description,
    classType,
    capabilities: capabilityMask(definition.capabilities),
    actions: 0,
    plans: null,
    lanes,
    control,
    ...(Object.keys(control.takes).length === 0 ? {} : { invoke: { ...control.takes } }),
    Pipe: { schema: config, ui: {} },
    ...(defaultProfile === undefined ? {} : { defaultProfile }),
    ...(profiles === undefined ? {} : { profiles }),
  };
}

function capabilityMask(words: readonly string[]): number {
  return capabilityWords.reduce((mask, word, bit) => (words.includes(word) ? mask | (1 << bit) : mask), 0);
}
