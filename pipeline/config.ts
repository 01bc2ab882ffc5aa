import { MillraceError } from '../protocol/errors.js';
import type { Definition } from './catalogue.js';
import { didYouMean } from './nearest.js';
import { forbiddenKeys, isRecord, quote, quoteList } from './values.js';

type Config = Record<string, unknown>;

export interface ResolvedConfig {
  /** A copy; it shares nothing with the definition or the pipeline. `profile` is the profile that was used. */
  config: Config;
  /** Leniencies that were needed, as sentences. */
  warnings: string[];
}

/** May always be present, mean nothing to most providers, and must not hide a value of the profile. */
const passive: ReadonlySet<string> = new Set(['parameters', 'hideForm', 'type', 'mode', 'secureParameters']);

/**
 * The configuration a component runs with: the values of its profile with the component's own on top. Null never
 * overrides, objects merge, arrays are replaced. `config` is JSON whose depth was checked.
 *
 * @throws MillraceError `start_failed` for a profile the provider does not have
 */
export function resolveConfig(definition: Definition, config: Readonly<Config>): ResolvedConfig {
  const warnings: string[] = [];
  const { profile: asked } = config;
  const profiles = definition.profiles ?? {};
  if (asked === undefined || asked === null) return { config: withDefault(definition, config, warnings), warnings };
  if (typeof asked !== 'string' || asked === '') {
    throw new MillraceError('start_failed', `Provider ${quote(definition.id)}: "profile" must be a non-empty string`);
  }
  const names = Object.keys(profiles);
  if (names.length === 0) {
    const { [asked]: section, ...rest } = config;
    return { config: overlay({}, isRecord(section) ? rest : config, isRecord(section) ? section : {}), warnings };
  }
  const live = liveProfile(definition, asked, warnings);
  const [sectionName, section] = findSection(config, asked, live, warnings);
  const merged = overlay(own(profiles, live) ?? {}, section);
  for (const [key, value] of Object.entries(config)) {
    const isSection = key === sectionName || key === asked || (names.includes(key) && isRecord(value));
    if (key === 'profile' || isSection || value === null || value === undefined || forbiddenKeys.has(key)) continue;
    if (passive.has(key)) {
      if (!Object.hasOwn(merged, key)) merged[key] = copy(value);
    } else if (!Object.hasOwn(section, key) || section[key] === null) {
      merged[key] = mergeValue(own(merged, key), value);
      warnings.push(
        `${quote(key)} belongs into the section ${quote(sectionName)} of the profile; it is used from where it is`,
      );
    }
  }
  return { config: { ...merged, profile: live }, warnings };
}

function withDefault(definition: Definition, config: Readonly<Config>, warnings: string[]): Config {
  const name = definition.defaultProfile;
  if (name === undefined) return overlay({}, config);
  const { [name]: section, ...rest } = config;
  const base = own(definition.profiles ?? {}, name) ?? {};
  if (!isRecord(section)) return { ...overlay(base, config), profile: name };
  warnings.push(`no "profile" is given; the section ${quote(name)} is used, as the default profile has this name`);
  return { ...overlay(base, rest, section), profile: name };
}

function liveProfile(definition: Definition, asked: string, warnings: string[]): string {
  const profiles = definition.profiles ?? {};
  if (Object.hasOwn(profiles, asked)) return asked;
  const alias = own(definition.profileAliases ?? {}, asked);
  if (alias !== undefined && Object.hasOwn(profiles, alias)) {
    warnings.push(`profile ${quote(asked)} no longer exists; ${quote(alias)} is used`);
    return alias;
  }
  const names = Object.keys(profiles);
  const hint = didYouMean(asked, names) || '.';
  throw new MillraceError(
    'start_failed',
    `Provider ${quote(definition.id)} has no profile ${quote(asked)}${hint} Its profiles are: ${quoteList(names, 40)}`,
    { hint: 'Set "profile" to one of the profiles named, or leave it out.' },
  );
}

/** The section of the profile and the key it stands under. */
function findSection(config: Readonly<Config>, asked: string, live: string, warnings: string[]): [string, Config] {
  for (const name of [asked, live]) {
    const section = own(config, name);
    if (isRecord(section)) return [name, section];
  }
  for (const name of [asked, live]) {
    const short = name.slice(name.indexOf('_') + 1);
    const section = short === name ? undefined : own(config, short);
    if (!isRecord(section)) continue;
    warnings.push(`the section ${quote(short)} is used for profile ${quote(name)}; name it ${quote(name)}`);
    return [short, section];
  }
  return [live, {}];
}

function overlay(base: Readonly<Config>, ...layers: readonly Readonly<Config>[]): Config {
  return layers.reduce<Config>((merged, layer) => mergeRecords(merged, layer), mergeRecords({}, base));
}

function mergeRecords(base: Readonly<Config>, over: Readonly<Config>): Config {
  const merged: Config = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === null || value === undefined || forbiddenKeys.has(key)) continue;
    merged[key] = mergeValue(own(merged, key), value);
  }
  return merged;
}

function mergeValue(base: unknown, over: unknown): unknown {
  return isRecord(over) ? mergeRecords(isRecord(base) ? base : {}, over) : copy(over);
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([key]) => !forbiddenKeys.has(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, copy(member)]));
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
