import type { Definition, PlannedProvider } from '../../../pipeline/catalogue.js';
import { clip, isRecord } from '../../../pipeline/values.js';
import { acceptedLanes, choicesOf, isSource, producedLanes } from './facts.js';

/** What people are told about the words of a pipeline, as Markdown. For completion and hover. */

export function describeProvider(definition: Definition): string {
  const lines = [`**${definition.title}** · \`${definition.id}\``, '', definition.description];
  if (isSource(definition)) lines.push('', `Source of ${code(producedLanes(definition))}`);
  else {
    lines.push('', '| takes | sends |', '| --- | --- |');
    for (const lane of acceptedLanes(definition))
      lines.push(`| \`${lane}\` | ${code(definition.lanes[lane] ?? []) || 'nothing'} |`);
  }
  const { takes, offers } = definition.control;
  if (Object.keys(takes).length > 0) lines.push('', `Uses ${code(Object.keys(takes))}`);
  if (offers.length > 0) lines.push('', `Can be used as ${code(offers)}`);
  const { profiles = {}, defaultProfile } = definition;
  const others = Object.keys(profiles).filter((name) => name !== defaultProfile);
  if (others.length > 0) {
    const shown = others.length <= 4 ? code(others) : `${code(others.slice(0, 4))} and ${others.length - 4} more`;
    lines.push('', `Profiles: ${defaultProfile === undefined ? '' : `\`${defaultProfile}\` (default), `}${shown}`);
  }
  return lines.join('\n');
}

export function describePlanned({ title, id, instead }: PlannedProvider): string {
  return `**${title}** · \`${id}\`\n\nThis release cannot run it. ${instead}`;
}

/** What a provider takes and sends, in a line: `tags → text, table`. */
export function lanesLine(definition: Definition): string {
  const sent = producedLanes(definition).join(', ');
  if (isSource(definition)) return `→ ${sent}`;
  return `${acceptedLanes(definition).join(', ')} →${sent === '' ? '' : ` ${sent}`}`;
}

const laneMeanings: Readonly<Record<string, string>> = {
  tags: 'A whole file with its name and type, as it came in; `parse` reads it.',
  text: 'Plain text.',
  table: 'Tables found in documents.',
  documents: 'Pieces of text with their metadata, for search and models.',
  questions: 'A question to a model, with its instructions and context.',
  answers: 'What a model said.',
  image: 'The bytes of images.',
  audio: 'The bytes of audio.',
  video: 'The bytes of video.',
  words: 'Single words with their places.',
  classifications: 'What something was classified as.',
  classificationContext: 'What a classification is based on.',
  json: 'JSON values.',
};

export function describeLane(lane: string): string {
  const meaning = laneMeanings[lane];
  return `**Lane** \`${lane}\`${meaning === undefined ? '' : `\n\n${meaning}`}`;
}

const classMeanings: Readonly<Record<string, string>> = {
  llm: 'The model that answers questions for the component that uses it.',
  tool: 'A tool that an agent may call.',
  memory: 'Where an agent remembers.',
};

export function describeClass(classType: string): string {
  const meaning = classMeanings[classType];
  return `**Class** \`${classType}\`${meaning === undefined ? '' : `\n\n${meaning}`}`;
}

/** A setting by its schema: its type, what it means, what it is when it is not written. */
export function describeSetting(name: string, schema: Readonly<Record<string, unknown>>, isRequired: boolean): string {
  const { description, default: standard } = schema;
  const type = typeOf(schema);
  const lines = [`**${name}**${type === '' ? '' : `: \`${type}\``}${isRequired ? ' · required' : ''}`];
  if (typeof description === 'string') lines.push('', description);
  if (standard !== undefined) lines.push('', `Default: \`${JSON.stringify(standard)}\``);
  if (schema.writeOnly === true) lines.push('', 'Keep it in `.env` and write `${MILLRACE_…}` here.');
  return lines.join('\n');
}

/** `string`, `"a" | "b"`, `string | string[]`. */
export function typeOf(schema: Readonly<Record<string, unknown>>): string {
  const choices = choicesOf(schema);
  if (choices.length > 0) return choices.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(schema.anyOf)) return schema.anyOf.filter(isRecord).map(typeOf).join(' | ');
  if (schema.type === 'array') return `${isRecord(schema.items) ? typeOf(schema.items) : 'value'}[]`;
  return typeof schema.type === 'string' ? schema.type : '';
}

export function describeProfile(name: string, values: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(values).map(([key, value]) => `- \`${key}\`: \`${clip(JSON.stringify(value), 60)}\``);
  return lines.length === 0 ? `Profile \`${name}\` sets nothing.` : `Profile \`${name}\`\n\n${lines.join('\n')}`;
}

export function code(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
