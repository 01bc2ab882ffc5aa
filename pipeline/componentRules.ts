import type { AnalysisMemory } from './analysisMemory.js';
import type { Catalogue } from './catalogue.js';
import type { Findings } from './findings.js';
import { type ControlLink, type InputLink, isLane, lanes, type Pipeline, type PipelineComponent } from './model.js';
import { Suggestions } from './nearest.js';
import type { Outline } from './outline.js';
import { forbiddenKeys, isAbsent, isName, isRecord, type Path, quote } from './values.js';

/** The rules of a component. `ids` are the ids it may refer to; without them references are not checked. */
export class ComponentRules {
  private readonly suggestions = new Suggestions();

  constructor(
    private readonly findings: Findings,
    private readonly catalogue: Catalogue,
    private readonly ids: Outline['ids'] | undefined,
    private readonly memory?: AnalysisMemory,
  ) {}

  /** The sound part of the components, for what is to be said about them even when there are errors. */
  checkAll(components: readonly unknown[], path: Path): Pipeline {
    const sound: PipelineComponent[] = [];
    for (let index = 0; index < components.length && !this.findings.full; index++) {
      const value = components[index];
      const component = this.known(value) ?? this.checkAnew(value, [...path, index]);
      if (component === undefined) continue;
      const first = this.ids?.get(component.id) ?? index;
      if (first === index) sound.push(component);
      else {
        const message = `Component ${quote(component.id)}: the id is used twice, by components[${first}] and components[${index}]; ids must be unique`;
        this.findings.error('id_duplicate', message, [...path, index, 'id'], component.id);
      }
    }
    return { components: sound };
  }

  /** What was sound before is sound still when the components it refers to are there. */
  private known(value: unknown): PipelineComponent | undefined {
    const memory = isRecord(value) ? this.memory?.find(value) : undefined;
    const component = memory?.sound;
    if (memory === undefined || component === undefined || memory.ids === this.ids) return component;
    const refers = ({ from }: { from: string }): boolean => this.ids?.has(from) !== false;
    if (component.input?.every(refers) !== true || component.control?.every(refers) !== true) return undefined;
    memory.ids = this.ids;
    return component;
  }

  private checkAnew(value: unknown, path: Path): PipelineComponent | undefined {
    const before = this.findings.diagnostics.length;
    const component = this.check(value, path);
    const isSound = component !== undefined && this.findings.diagnostics.length === before;
    if (isSound && isRecord(value) && this.memory !== undefined) {
      const memory = this.memory.of(value);
      memory.sound = component;
      memory.ids = this.ids;
    }
    return component;
  }

  /** The sound part of a component; undefined when it has no id. */
  check(value: unknown, path: Path): PipelineComponent | undefined {
    const index = path.at(-1);
    const place = typeof index === 'number' ? `components[${index}]` : 'The component';
    if (!isRecord(value)) {
      this.findings.error(
        'component_not_object',
        `${place} must be an object with "id", "provider" and "config"`,
        path,
      );
      return undefined;
    }
    const id = isName(value.id) ? value.id : undefined;
    const subject: Subject = { id, label: id === undefined ? place : `Component ${quote(id)}`, path };
    if (id === undefined) this.error(subject, 'id_missing', '"id" must be a non-empty string', ['id']);
    else if (forbiddenKeys.has(id)) this.error(subject, 'id_reserved', 'this id is reserved, choose another', ['id']);
    this.checkProvider(value.provider, subject);
    const config = this.checkConfig(value.config, subject);
    const input = this.checkLinks<InputLink>(value.input, 'input', 'lane', subject);
    const control = this.checkLinks<ControlLink>(value.control, 'control', 'classType', subject);
    if (id === undefined) return undefined;
    return { id, provider: isName(value.provider) ? value.provider : '', config, input, control };
  }

  private checkProvider(provider: unknown, subject: Subject): void {
    if (!isName(provider)) {
      this.error(subject, 'provider_missing', '"provider" must be a non-empty string', ['provider']);
    } else if (!this.exists(provider)) {
      const hint = this.suggestions.of(provider, 'provider', () => this.catalogue.ids());
      this.error(subject, 'provider_unknown', `unknown provider ${quote(provider)}${hint}`, ['provider']);
    }
  }

  private exists(provider: string): boolean {
    const { catalogue } = this;
    return [catalogue.find(provider), catalogue.planned(provider), catalogue.opaque(provider)].some(Boolean);
  }

  private checkConfig(config: unknown, subject: Subject): Record<string, unknown> {
    if (!isRecord(config)) {
      this.error(subject, 'config_missing', '"config" must be an object; it may be empty', ['config']);
      return {};
    }
    const { profile, parameters } = config;
    if (!isAbsent(profile) && !isName(profile)) {
      this.error(subject, 'profile_invalid', '"config.profile" must be a non-empty string', ['config', 'profile']);
    }
    if (isName(profile) && Object.hasOwn(config, profile) && profile !== 'profile') {
      const section = config[profile];
      if (!isAbsent(section) && !isRecord(section)) {
        const text = `"config" has a member ${quote(profile)} named like the profile; it must be an object`;
        this.error(subject, 'profile_section_invalid', text, ['config', profile]);
      }
    }
    if (!isAbsent(parameters) && !isRecord(parameters)) {
      this.error(subject, 'parameters_invalid', '"config.parameters" must be an object', ['config', 'parameters']);
    }
    return config;
  }

  private checkLinks<L extends InputLink | ControlLink>(
    links: unknown,
    member: 'input' | 'control',
    kind: 'lane' | 'classType',
    subject: Subject,
  ): L[] {
    if (isAbsent(links)) return [];
    if (!Array.isArray(links)) {
      this.error(subject, `${member}_invalid`, `"${member}" must be an array of links`, [member]);
      return [];
    }
    const sound: unknown[] = [];
    for (const [index, link] of (links as unknown[]).entries()) {
      if (this.findings.full) break;
      if (!isRecord(link)) {
        const text = `${member} link ${index + 1} must be an object with "from" and "${kind}"`;
        this.error(subject, `${member}_link_invalid`, text, [member, index]);
        continue;
      }
      const named = this.checkKind(link[kind], member, kind, index, subject);
      const joined = this.checkFrom(link.from, member, index, subject);
      if (named && joined) sound.push({ from: link.from, [kind]: link[kind] });
    }
    return sound as L[];
  }

  private checkKind(name: unknown, member: string, kind: string, index: number, subject: Subject): boolean {
    if (!isName(name)) {
      const code = kind === 'lane' ? 'lane_missing' : 'class_type_missing';
      this.error(subject, code, `${member} "${kind}" must be a non-empty string`, [member, index, kind]);
      return false;
    }
    if (kind !== 'lane' || isLane(name)) return true;
    const hint = this.suggestions.of(name, 'lane', () => lanes);
    this.error(subject, 'lane_unknown', `input "lane" names the unknown lane ${quote(name)}${hint}`, [
      member,
      index,
      kind,
    ]);
    return false;
  }

  private checkFrom(from: unknown, member: string, index: number, subject: Subject): boolean {
    if (!isName(from)) {
      this.error(subject, 'from_missing', `${member} "from" must be a non-empty string`, [member, index, 'from']);
      return false;
    }
    const { ids } = this;
    if (ids === undefined || ids.has(from)) return true;
    const hint = this.suggestions.of(from, 'id', () => [...ids.keys()]);
    const path = [member, index, 'from'];
    this.error(subject, 'from_unknown', `${member} "from" references unknown component ${quote(from)}${hint}`, path);
    return false;
  }

  private error(subject: Subject, code: string, text: string, path: Path): void {
    this.findings.error(code, `${subject.label}: ${text}`, [...subject.path, ...path], subject.id);
  }
}

interface Subject {
  id: string | undefined;
  label: string;
  path: Path;
}
