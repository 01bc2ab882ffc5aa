import { distance } from '../nearest.js';
import { isAbsent, isRecord, type Path, quote } from '../values.js';
import type { Advice } from './findings.js';
import type { Part, Written } from './parts.js';

const pipelineFields = ['name', 'description', 'project_id', 'source', 'version', 'components'] as const;
const componentFields = ['id', 'provider', 'name', 'description', 'config', 'input', 'control', 'ui'] as const;
const inputFields = ['from', 'lane'] as const;
const controlFields = ['from', 'classType'] as const;

/** Ids that read as something else wherever they are shown. */
const confusingIds: ReadonlySet<string> = new Set(['null', 'undefined', 'true', 'false', '_source', '*']);

/** The fields of the pipeline itself. */
export function advisePipelineFields(pipeline: Readonly<Record<string, unknown>>, advice: Advice): void {
  adviseFields(pipeline, pipelineFields, undefined, [], advice);
  if (Array.isArray(pipeline.components) && pipeline.components.length === 0) {
    const message = 'The pipeline has no components; begin with a source such as webhook, chat or filesys';
    advice.add('components_empty', message, { path: ['components'] });
  }
}

/** Names of fields and of the provider of a component. */
export function adviseNames(part: Part, written: Written, advice: Advice): void {
  adviseFields(written, componentFields, part, [], advice);
  adviseLinkFields(written, 'input', inputFields, part, advice);
  adviseLinkFields(written, 'control', controlFields, part, advice);
  adviseProvider(part, advice);
}

/** Ids that are taken for each other or for something else. */
export function adviseIds(parts: ReadonlyMap<string, Part>, advice: Advice): void {
  const folded = new Map<string, Part>();
  for (const part of parts.values()) adviseId(part, folded, advice);
}

/** A field that nobody knows, and that is one letter away from one that is not there. */
function adviseFields(
  record: Readonly<Record<string, unknown>>,
  known: readonly string[],
  part: Part | undefined,
  inside: Path,
  advice: Advice,
): void {
  for (const key in record) {
    if (known.includes(key) || key.length < 3) continue;
    const meant = known.find((each) => isAbsent(record[each]) && isMistyped(key, each));
    if (meant === undefined) continue;
    const name = part === undefined ? 'The pipeline' : `Component ${quote(part.id)}`;
    const message = `${name}: the field ${quote(key)} is unknown; did you mean ${quote(meant)}?`;
    const data = { nearest: [meant] };
    const path = [...(part?.path ?? []), ...inside, key];
    advice.add('field_unknown', message, { path, at: 'key' }, { component: part?.id, data });
  }
}

function adviseLinkFields(
  written: Written,
  member: 'input' | 'control',
  known: readonly string[],
  part: Part,
  advice: Advice,
): void {
  const links = written[member];
  if (!Array.isArray(links)) return;
  (links as unknown[]).forEach((link, index) => {
    if (isRecord(link)) adviseFields(link, known, part, [member, index], advice);
  });
}

function isMistyped(key: string, known: string): boolean {
  const [a, b] = [key.toLowerCase().replaceAll(/[-_]/g, ''), known.toLowerCase().replaceAll(/[-_]/g, '')];
  return Math.abs(a.length - b.length) <= 2 && distance(a, b) <= (b.length > 5 ? 2 : 1);
}

function adviseId(part: Part, folded: Map<string, Part>, advice: Advice): void {
  const { id } = part;
  const shape = id.trim().toLowerCase();
  const other = folded.get(shape);
  if (other !== undefined) {
    const message = `The ids ${quote(other.id)} and ${quote(id)} differ only in case or spaces; they are two components`;
    const related = [{ ...idOf(other), message: 'The other one' }];
    advice.add('id_confusing', message, idOf(part), { component: id, related });
    return;
  }
  folded.set(shape, part);
  if (confusingIds.has(shape)) {
    const message = `The id ${quote(id)} reads as something else where it is shown; choose one that says what the component does`;
    advice.add('id_confusing', message, idOf(part), { component: id });
  } else if (id !== id.trim()) {
    const message = `The id ${quote(id)} begins or ends with a space, which links have to repeat`;
    advice.add('id_confusing', message, idOf(part), { component: id, data: { replacement: id.trim() } });
  }
}

function idOf({ path }: Part): { readonly path: Path } {
  return { path: [...path, 'id'] };
}

function adviseProvider({ id, provider, definition, planned, path }: Part, advice: Advice): void {
  if (planned !== undefined) {
    const message = `Component ${quote(id)}: provider ${quote(provider)} (${planned.title}) is not part of this release. ${planned.instead}`;
    advice.add(
      'provider_planned',
      message,
      { path: [...path, 'provider'] },
      { component: id, data: { instead: planned.instead } },
    );
  }
  const known = definition ?? planned;
  if (known === undefined || known.id === provider || known.aliases?.includes(provider) !== true) return;
  const message = `Component ${quote(id)}: ${quote(provider)} is another spelling of ${quote(known.id)}`;
  const data = { replacement: known.id };
  const place = { path: [...path, 'provider'] };
  advice.add('provider_deprecated', message, place, { component: id, tags: ['deprecated'], data });
}
