import type { Definition } from '../catalogue.js';
import { type ConfigNote, passiveSettings, type ResolvedConfig, resolveConfig } from '../config.js';
import { nearest } from '../nearest.js';
import type { SchemaProblem, SchemaReader } from '../schema.js';
import { clip, isAbsent, isName, isRecord, type Path, quote, quoteList } from '../values.js';
import type { Advice } from './findings.js';
import type { Part, Written } from './parts.js';

type Config = Readonly<Record<string, unknown>>;

/** The configuration of a component: profiles, settings nobody reads, values the provider does not take. */
export function adviseConfig(part: Part, { config }: Written, schemas: SchemaReader, advice: Advice): void {
  const { definition } = part;
  if (definition === undefined || !isRecord(config) || isRefused(config)) return;
  if (Object.keys(config).length === 0 && definition.config.required === undefined) return;
  const settings = new Settings(part, config, definition, schemas);
  const resolved = settings.resolve(advice);
  if (resolved === undefined) return;
  const problems = settings.problems(resolved);
  const notes = [...resolved.warnings, ...resolved.ignored];
  if (notes.length === 0 && problems.length === 0) return;
  const unknown = new Set(problems.flatMap(({ kind, path }) => (kind === 'unknown' ? [JSON.stringify(path)] : [])));
  for (const note of notes) {
    // What is unknown is wrong wherever it stands.
    if (!unknown.has(JSON.stringify(note.path))) settings.addNote(note, advice);
  }
  for (const problem of problems) settings.addProblem(problem, problems, resolved, advice);
}

/** What the structural rules have refused, or what variables decide. */
function isRefused(config: Config): boolean {
  const { profile } = config;
  if (isAbsent(profile)) return false;
  if (!isName(profile) || profile.includes('${')) return true;
  const section = profile !== 'profile' && Object.hasOwn(config, profile) ? config[profile] : undefined;
  return !isAbsent(section) && !isRecord(section);
}

/** The settings of one component. Paths are from `config` on, of the text or of the resolved configuration. */
class Settings {
  readonly #name: string;
  readonly #path: Path;

  constructor(
    private readonly part: Part,
    private readonly config: Config,
    private readonly definition: Definition,
    private readonly schemas: SchemaReader,
  ) {
    this.#name = `Component ${quote(part.id)}`;
    this.#path = [...part.path, 'config'];
  }

  resolve(advice: Advice): ResolvedConfig | undefined {
    const { config } = this;
    const { id } = this.part;
    const { profiles = {}, title } = this.definition;
    const { profile } = config;
    const names = Object.keys(profiles);
    const isDead = Object.hasOwn(this.definition.profileAliases ?? {}, String(profile));
    if (isName(profile) && names.length > 0 && !Object.hasOwn(profiles, profile) && !isDead) {
      const near = nearest(profile, names);
      const list =
        near.length > 0 ? `did you mean ${near.map(quote).join(' or ')}?` : `there are ${quoteList(names, 12)}`;
      const message = `${this.#name}: ${title} has no profile ${quote(profile)}; ${list}`;
      const data = { nearest: near, candidates: names };
      advice.add('profile_unknown', message, { path: [...this.#path, 'profile'] }, { component: id, data });
      return undefined;
    }
    return resolveConfig(this.definition, config);
  }

  /** What the schema does not allow, with paths of the text. */
  problems(resolved: ResolvedConfig): SchemaProblem[] {
    const { config: schema } = this.definition;
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const config: Record<string, unknown> = {};
    for (const key of Object.keys(resolved.config)) {
      const isRead = Object.hasOwn(properties, key) || !passiveSettings.has(key);
      if (key !== 'profile' && isRead) config[key] = resolved.config[key];
    }
    return this.schemas.check(schema, config).flatMap((problem): SchemaProblem[] => {
      if (problem.kind === 'unknown' && !this.#isMistake(problem)) return [];
      const path = this.#written(problem.path, resolved.section);
      if (problem.kind === 'missing') return [{ ...problem, path: path ?? problem.path }];
      return path === undefined ? [] : [{ ...problem, path }];
    });
  }

  addNote({ code, path, message, winner, replacement }: ConfigNote, advice: Advice): void {
    const isUnused = code === 'config_key_ignored' || code === 'config_key_shadowed' || code === 'profile_missing';
    const at = code === 'profile_deprecated' ? 'value' : 'key';
    advice.add(
      code,
      `${this.#name}: ${message}`,
      { path: [...this.#path, ...path], at },
      {
        component: this.part.id,
        ...(isUnused ? { tags: ['unnecessary'] } : code === 'profile_deprecated' ? { tags: ['deprecated'] } : {}),
        ...(winner === undefined
          ? {}
          : { related: [{ path: [...this.#path, ...winner], at: 'value', message: 'This is used' }] }),
        ...(replacement === undefined ? {} : { data: { replacement } }),
      },
    );
  }

  addProblem(problem: SchemaProblem, all: readonly SchemaProblem[], resolved: ResolvedConfig, advice: Advice): void {
    const { kind, path, message, allowed = [] } = problem;
    const component = this.part.id;
    const key = String(path.at(-1));
    const place = [...this.#path, ...path];
    const title = this.definition.title;
    switch (kind) {
      case 'unknown': {
        const near = nearest(key, allowed.map(String));
        const known =
          allowed.length === 0 ? `${title} has no settings` : `${title} has ${quoteList(allowed.map(String), 12)}`;
        const hint = near.length === 0 ? known : `did you mean ${near.map(quote).join(' or ')}?`;
        const text = `${this.#name}: the setting ${quote(key)} is unknown; ${hint}`;
        const data = { nearest: near, candidates: allowed };
        advice.add('config_key_unknown', text, { path: place, at: 'key' }, { component, tags: ['unnecessary'], data });
        return;
      }
      case 'missing': {
        const isMistyped = all.some(
          (each) => each.kind === 'unknown' && nearest(String(each.path.at(-1)), [key]).length > 0,
        );
        if (isMistyped) return;
        const text = `${this.#name}: the setting ${quote(key)} is missing; ${title} needs it`;
        const data = { key, section: resolved.section };
        advice.add('config_key_missing', text, { path: place, at: 'key' }, { component, data });
        return;
      }
      case 'type':
      case 'value': {
        const text = `${this.#name}: ${describe(path)} ${message}`;
        const written = valueAt(this.config, path);
        const names = allowed.filter((each) => typeof each === 'string');
        const near = typeof written === 'string' ? nearest(written, names) : [];
        const code = kind === 'type' ? 'config_type_wrong' : 'config_value_invalid';
        advice.add(code, text, { path: place }, { component, data: { nearest: near, candidates: allowed } });
      }
    }
  }

  /** Other keys than those of the schema are allowed; deep inside only what looks like one of them is a mistake. */
  #isMistake({ path, allowed = [] }: SchemaProblem): boolean {
    const key = String(path.at(-1));
    const { profiles = {}, config } = this.definition;
    if (path.length > 1) return nearest(key, allowed.map(String), 1).length > 0;
    if (!isRecord(config.properties)) return false;
    if (Object.hasOwn(profiles, key)) return false;
    return !Object.values(profiles).some((profile) => Object.hasOwn(profile, key));
  }

  /** Where a value of the resolved configuration is written; of what is missing, where its place would be. */
  #written(path: Path, section: string | undefined): Path | undefined {
    const { config } = this;
    const candidates = section === undefined ? [path] : [[section, ...path], path];
    const found = candidates.find((each) => valueAt(config, each) !== undefined);
    if (found !== undefined) return found;
    const parent = candidates.find((each) => path.length > 1 && valueAt(config, each.slice(0, -1)) !== undefined);
    if (parent !== undefined) return parent;
    return undefined;
  }
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof step === 'number') at = Array.isArray(at) ? (at as unknown[])[step] : undefined;
    else at = isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  }
  return at ?? undefined;
}

/** `"include[0].path"`: the last steps say enough. */
function describe(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return `"${clip(text.replace(/^\./, ''))}"`;
}
