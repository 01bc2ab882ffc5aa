import { MillraceError } from '../protocol/errors.js';
import type { Definition } from './catalogue.js';
import { didYouMean } from './nearest.js';
import type { AdviceCode } from './rules.js';
import { forbiddenKeys, isRecord, type Path, quote, quoteList } from './values.js';

type Config = Record<string, unknown>;

/** Something about a configuration that works, but not as it may look. */
export interface ConfigNote {
  readonly code: AdviceCode;
  /** From `config` on. */
  readonly path: Path;
  readonly message: string;
  /** From `config` on: what wins over it. */
  readonly winner?: Path;
  /** What to write instead. */
  readonly replacement?: string;
}

export interface ResolvedConfig {
  /** A copy; it shares nothing with the definition or the pipeline. `profile` is the profile that was used. */
  config: Config;
  /** Leniencies that were needed. */
  warnings: ConfigNote[];
  /** What is written but has no effect. */
  ignored: ConfigNote[];
  /** The key of the section that was laid over the profile, when there is one. */
  section?: string;
}

/** May always be present, mean nothing to most providers, and must not hide a value of the profile. */
export const passiveSettings: ReadonlySet<string> = new Set([
  'parameters',
  'hideForm',
  'type',
  'mode',
  'secureParameters',
]);

/**
 * The configuration a component runs with: the values of its profile with the component's own on top. Null never
 * overrides, objects merge, arrays are replaced. `config` is JSON whose depth was checked.
 *
 * @throws MillraceError `start_failed` for a profile the provider does not have
 */
export function resolveConfig(definition: Definition, config: Readonly<Config>): ResolvedConfig {
  const { profile: asked } = config;
  const profiles = definition.profiles ?? {};
  if (asked === undefined || asked === null) return withDefault(definition, config);
  if (typeof asked !== 'string' || asked === '') {
    throw new MillraceError('start_failed', `Provider ${quote(definition.id)}: "profile" must be a non-empty string`);
  }
  const warnings: ConfigNote[] = [];
  const ignored: ConfigNote[] = [];
  const names = Object.keys(profiles);
  if (names.length === 0) {
    const { [asked]: section, ...rest } = config;
    if (!isRecord(section)) return { config: overlay({}, config), warnings, ignored };
    return { config: overlay({}, rest, section), warnings, ignored, section: asked };
  }
  const live = liveProfile(definition, asked, warnings);
  const [sectionName, section] = findSection(config, asked, live, warnings);
  const merged = overlay(own(profiles, live) ?? {}, section);
  for (const key of Object.keys(config)) {
    const value = config[key];
    if (key === 'profile' || key === sectionName || value === null || value === undefined) continue;
    if (forbiddenKeys.has(key)) continue;
    if (key === asked && !isRecord(value)) continue;
    if (key === asked || (names.includes(key) && isRecord(value))) {
      const message = `the section ${quote(key)} has no effect: the profile is ${quote(live)}`;
      ignored.push({ code: 'config_key_ignored', path: [key], message, winner: ['profile'] });
    } else if (passiveSettings.has(key)) {
      if (!Object.hasOwn(merged, key)) merged[key] = copy(value);
    } else if (!Object.hasOwn(section, key) || section[key] === null) {
      merged[key] = laid(own(merged, key), value);
      const message = `${quote(key)} belongs into the section ${quote(sectionName)} of the profile; it is used from where it is`;
      warnings.push({ code: 'config_key_misplaced', path: [key], message, replacement: sectionName });
    } else {
      const message = `${quote(key)} has no effect: the section ${quote(sectionName)} of the profile has it too, and wins`;
      ignored.push({ code: 'config_key_shadowed', path: [key], message, winner: [sectionName, key] });
    }
  }
  const used = isRecord(own(config, sectionName)) ? { section: sectionName } : {};
  merged.profile = live;
  return { config: merged, warnings, ignored, ...used };
}

function withDefault(definition: Definition, config: Readonly<Config>): ResolvedConfig {
  const warnings: ConfigNote[] = [];
  const ignored: ConfigNote[] = [];
  const name = definition.defaultProfile;
  if (name === undefined) return { config: overlay({}, config), warnings, ignored };
  const { [name]: section, ...rest } = config;
  const profiles = definition.profiles ?? {};
  const base = own(profiles, name) ?? {};
  for (const [key, value] of Object.entries(rest)) {
    if (!isRecord(value) || !Object.hasOwn(profiles, key)) continue;
    const message = `the section ${quote(key)} has no effect: no "profile" is given, and the default profile is ${quote(name)}`;
    ignored.push({ code: 'profile_missing', path: [key], message, replacement: key });
  }
  if (!isRecord(section)) return { config: overlay(base, config, { profile: name }), warnings, ignored };
  const message = `no "profile" is given; the section ${quote(name)} is used, as the default profile has this name`;
  warnings.push({ code: 'profile_implied', path: [name], message, replacement: name });
  for (const key of Object.keys(rest)) {
    if (passiveSettings.has(key) || !Object.hasOwn(section, key) || section[key] === null) continue;
    const shadowed = `${quote(key)} has no effect: the section ${quote(name)} has it too, and wins`;
    if (isRecord(rest[key]) && isRecord(section[key])) continue;
    ignored.push({ code: 'config_key_shadowed', path: [key], message: shadowed, winner: [name, key] });
  }
  return { config: overlay(base, rest, section, { profile: name }), warnings, ignored, section: name };
}

function liveProfile(definition: Definition, asked: string, warnings: ConfigNote[]): string {
  const profiles = definition.profiles ?? {};
  if (Object.hasOwn(profiles, asked)) return asked;
  const alias = own(definition.profileAliases ?? {}, asked);
  if (alias !== undefined && Object.hasOwn(profiles, alias)) {
    const message = `profile ${quote(asked)} no longer exists; ${quote(alias)} is used`;
    warnings.push({ code: 'profile_deprecated', path: ['profile'], message, replacement: alias });
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
function findSection(config: Readonly<Config>, asked: string, live: string, warnings: ConfigNote[]): [string, Config] {
  for (const name of [asked, live]) {
    const section = own(config, name);
    if (isRecord(section)) return [name, section];
  }
  for (const name of [asked, live]) {
    const short = name.slice(name.indexOf('_') + 1);
    const section = short === name ? undefined : own(config, short);
    if (!isRecord(section)) continue;
    const message = `the section ${quote(short)} is used for profile ${quote(name)}; name it ${quote(name)}`;
    warnings.push({ code: 'profile_section_renamed', path: [short], message, replacement: name });
    return [short, section];
  }
  return [live, {}];
}

/** The layers one over the other, as a value of its own. */
function overlay(...layers: readonly Readonly<Config>[]): Config {
  const merged: Config = {};
  for (const layer of layers) lay(merged, layer);
  return merged;
}

function lay(merged: Config, layer: Readonly<Config>): Config {
  for (const key of Object.keys(layer)) {
    const value = layer[key];
    if (value === null || value === undefined || forbiddenKeys.has(key)) continue;
    merged[key] = laid(own(merged, key), value);
  }
  return merged;
}

/** What becomes of a value of `overlay` with another one over it. */
function laid(below: unknown, above: unknown): unknown {
  return isRecord(above) ? lay(isRecord(below) ? below : {}, above) : copy(above);
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
