import type { Archive } from '../archive.js';
import type { EmbeddedFile, Wanted } from '../extraction.js';
import { elementTexts, walkXml } from '../markup.js';
import { mediaTypeOf } from '../mediaTypes.js';

const properties: Readonly<Record<string, string>> = {
  title: 'title',
  creator: 'author',
  'initial-creator': 'author',
  lastModifiedBy: 'lastModifiedBy',
  subject: 'subject',
  description: 'description',
  keywords: 'keywords',
  keyword: 'keywords',
  language: 'language',
  created: 'created',
  'creation-date': 'created',
  modified: 'modified',
  date: 'modified',
};

/** Title, author and the like of an OOXML (`docProps/core.xml`) or OpenDocument (`meta.xml`) file. */
export function documentProperties(archive: Archive, part: string): Record<string, string> {
  const texts = elementTexts(archive.readText(part), new Set(Object.keys(properties)));
  const metadata: Record<string, string> = {};
  for (const [element, key] of Object.entries(properties)) {
    const value = texts.get(element)?.trim();
    if (value !== undefined && value !== '') metadata[key] = value;
  }
  return metadata;
}

/** Relationship id → target part of an OOXML part, with its kind. */
export function relationships(archive: Archive, part: string): Map<string, { kind: string; part: string }> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  const targets = new Map<string, { kind: string; part: string }>();
  walkXml(archive.readText(`${folder}_rels/${part.slice(folder.length)}.rels`), {
    start(name, attributes) {
      const { Id: id, Target: target, Type: type = '', TargetMode: mode } = attributes;
      if (name !== 'Relationship' || id === undefined || target === undefined || mode === 'External') return;
      targets.set(id, { kind: type.slice(type.lastIndexOf('/') + 1), part: resolvePart(folder, target) });
    },
    end() {},
    text() {},
  });
  return targets;
}

/** The main part of an OOXML file; `fallback` is where nearly every producer puts it. */
export function mainPart(archive: Archive, fallback: string): string {
  if (archive.has(fallback)) return fallback;
  for (const target of relationships(archive, '').values()) {
    if (target.kind === 'officeDocument') return target.part;
  }
  return fallback;
}

/** Pictures, sounds and films below a folder of the archive, if somebody wants them. */
export function mediaBelow(archive: Archive, folder: string, wanted: Wanted): EmbeddedFile[] {
  if (!wanted.media) return [];
  const media: EmbeddedFile[] = [];
  for (const name of archive.names()) {
    if (!name.startsWith(folder)) continue;
    const mimeType = mediaTypeOf(name);
    const bytes = mimeType === undefined ? undefined : archive.read(name);
    if (bytes && mimeType !== undefined) media.push({ name: name.slice(folder.length), mimeType, bytes });
  }
  return media;
}

/** Numeric order of `slide2`, `slide10`. */
export function byNumber(a: string, b: string): number {
  return Number(/\d+/.exec(a)?.[0] ?? 0) - Number(/\d+/.exec(b)?.[0] ?? 0);
}

function resolvePart(folder: string, target: string): string {
  const parts: string[] = [];
  for (const part of (target.startsWith('/') ? target : folder + target).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
