import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DocumentLink } from 'vscode-languageserver';
import { lineOfVariable, linkTargets, type LinkTarget } from '../../service/documentLinks.js';
import { pathOf } from '../../addresses.js';
import type { Feature } from '../surroundings.js';

/** More links than a person follows; each costs a look at the disk. */
const mostLinks = 2000;

/** Links to the files that a configuration names, as far as they exist, and to the lines of `.env` that set variables. */
export const linksFeature: Feature = ({ connection, documents, knowledge, catalogue }) => {
  connection.onDocumentLinks(async ({ textDocument: { uri } }, cancelled) => {
    const document = documents.get(uri);
    const file = pathOf(uri);
    if (document === undefined || file === undefined) return null;
    const places = [...new Set([path.dirname(file), knowledge.files.rootOf(uri) ?? path.dirname(file)])];
    const environments = await Promise.all(places.map(readEnvironment));
    const links: DocumentLink[] = [];
    for (const target of linkTargets(document, catalogue()).slice(0, mostLinks)) {
      const found = target.kind === 'file' ? await fileTarget(target, places) : variableTarget(target, environments);
      if (cancelled.isCancellationRequested) return null;
      if (found !== undefined) links.push({ range: document.range(target), ...found });
    }
    return links;
  });
  return { documentLinkProvider: {} };
};

type Found = Pick<DocumentLink, 'target' | 'tooltip'>;

interface EnvironmentText {
  readonly file: string;
  /** Empty when there is no such file. */
  readonly text: string;
}

async function readEnvironment(folder: string): Promise<EnvironmentText> {
  const file = path.join(folder, '.env');
  return { file, text: await readFile(file, 'utf8').catch(() => '') };
}

async function fileTarget(
  { path: written }: LinkTarget & { kind: 'file' },
  places: readonly string[],
): Promise<Found | undefined> {
  for (const place of places) {
    const file = path.resolve(place, written);
    const entry = await stat(file).catch(() => undefined);
    if (entry?.isFile() === true) return { target: pathToFileURL(file).href };
  }
  return undefined;
}

function variableTarget(
  { name }: LinkTarget & { kind: 'variable' },
  environments: readonly EnvironmentText[],
): Found | undefined {
  for (const { file, text } of environments) {
    const line = lineOfVariable(text, name);
    if (line !== undefined)
      return { target: `${pathToFileURL(file).href}#L${line + 1}`, tooltip: `Where ${name} is set` };
  }
  return undefined;
}
