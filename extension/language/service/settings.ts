import type { Definition } from '../../../pipeline/catalogue.js';
import { resolveConfig } from '../../../pipeline/config.js';
import { clip, isRecord } from '../../../pipeline/values.js';
import { isSecretKey } from '../../../pipeline/advice/secrets.js';
import { variablePrefixes } from '../../../pipeline/environment.js';
import { type Environment, masked } from './environment.js';
import { settingsAt } from './facts.js';

/** A setting as the component will have it. */
export interface Setting {
  readonly name: string;
  readonly value: unknown;
  /** Where the value comes from, for people. */
  readonly origin: string;
  readonly isSecret: boolean;
}

/** Every setting of a component, in the order of its schema; undefined when its profile does not exist. */
export function settingsOf(definition: Definition, config: Readonly<Record<string, unknown>>): Setting[] | undefined {
  const resolved = resolve(definition, config);
  if (resolved === undefined) return undefined;
  const { config: values, section } = resolved;
  const { properties } = settingsAt(definition, []);
  const profile = typeof values.profile === 'string' ? values.profile : undefined;
  const inProfile = definition.profiles?.[profile ?? ''] ?? {};
  const inSection = section === undefined ? undefined : config[section];
  const names = new Set([...Object.keys(properties), ...Object.keys(values)]);
  names.delete('profile');
  return [...names].flatMap((name): Setting[] => {
    const isSecret = isSecretKey(name) || properties[name]?.writeOnly === true;
    const value = values[name];
    if (value === undefined) {
      const standard = properties[name]?.default;
      return standard === undefined ? [] : [{ name, value: standard, origin: 'default of the provider', isSecret }];
    }
    const places = [
      isRecord(inSection) && isGiven(inSection[name]) ? `section \`${section ?? ''}\` of this file` : '',
      isGiven(config[name]) && name !== section ? 'this file' : '',
    ].filter((place) => place !== '');
    const isMerged = isRecord(value) && isRecord(inProfile[name]);
    const fromProfile = `profile \`${profile ?? ''}\``;
    const [place] = places;
    const origin = place === undefined ? fromProfile : isMerged ? `${place}, over ${fromProfile}` : place;
    return [{ name, value, origin, isSecret }];
  });
}

/** A value on one line, without what must not be seen. */
export function shownValue({ value, isSecret }: Pick<Setting, 'value' | 'isSecret'>): string {
  if (typeof value === 'string' && isSecret && !value.includes('${')) return JSON.stringify(masked(value));
  return clip(JSON.stringify(value), 80).replaceAll('`', "'");
}

/** A value with its variables put in, masked. What nobody defines stays as it is written. */
export function withVariables(value: unknown, environment: Environment): unknown {
  if (Array.isArray(value)) return value.map((item) => withVariables(item, environment));
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withVariables(item, environment)]));
  }
  if (typeof value !== 'string' || !variablePrefixes.some((prefix) => value.includes(`\${${prefix}`))) return value;
  return value.replaceAll(/\$\{([^{}]*)\}/g, (written, name: string) => {
    const known = environment.get(name);
    return known === undefined ? written : masked(known.value);
  });
}

function resolve(
  definition: Definition,
  config: Readonly<Record<string, unknown>>,
): ReturnType<typeof resolveConfig> | undefined {
  try {
    return resolveConfig(definition, config);
  } catch {
    return undefined;
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
