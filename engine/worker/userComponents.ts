import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MillraceError, errorText } from '../../protocol/errors.js';
import type { Definition } from '../../pipeline/catalogue.js';
import type { Component } from '../runtime/component.js';
import type { RegisteredComponent } from '../runtime/registry.js';

/**
 * The components of a user's folder: each `*.js` or `*.mjs` file, or `index.js`/`index.mjs` of a sub-folder, exports
 * `definition` and `component`. Loaded in workers only, so that their faults stay inside a task.
 *
 * @throws MillraceError `start_failed` naming the file that cannot be used
 */
export async function loadUserComponents(folder: string): Promise<RegisteredComponent[]> {
  const files: string[] = [];
  for (const entry of (await list(folder)).sort((a, b) => a.name.localeCompare(b.name))) {
    if (entry.isFile() && /\.m?js$/.test(entry.name)) files.push(join(folder, entry.name));
    if (entry.isDirectory()) {
      const inside = await readdir(join(folder, entry.name));
      const index = ['index.js', 'index.mjs'].find((name) => inside.includes(name));
      if (index !== undefined) files.push(join(folder, entry.name, index));
    }
  }
  const components = await Promise.all(files.map(loadOne));
  const ids = components.map(({ definition }) => definition.id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) {
    throw new MillraceError('start_failed', `Two components in ${folder} have the id "${twice}"`, {
      hint: 'Give each of them an id of its own.',
    });
  }
  return components;
}

async function list(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw new MillraceError('start_failed', `The folder of components cannot be read: ${errorText(cause)}`, {
      cause,
      hint: 'Check the folder given with --components.',
    });
  }
}

async function loadOne(file: string): Promise<RegisteredComponent> {
  let module: { definition?: unknown; component?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (cause) {
    throw new MillraceError('start_failed', `The component file ${file} cannot be loaded: ${errorText(cause)}`, {
      cause,
    });
  }
  const { definition, component } = module;
  if (!isDefinition(definition)) {
    throw new MillraceError('start_failed', `${file} must export a \`definition\` with id, title and lanes`);
  }
  if (typeof component !== 'object' || component === null || typeof (component as Component).start !== 'function') {
    throw new MillraceError('start_failed', `${file} must export a \`component\` with a start function`);
  }
  return {
    definition: {
      ...definition,
      description: definition.description ?? '',
      classType: definition.classType ?? ['other'],
      capabilities: definition.capabilities ?? [],
      control: definition.control ?? { takes: {}, offers: [] },
      config: definition.config ?? { type: 'object' },
    },
    load: () => Promise.resolve(component as Component),
  };
}

function isDefinition(value: unknown): value is Partial<Definition> & Pick<Definition, 'id' | 'title' | 'lanes'> {
  if (typeof value !== 'object' || value === null) return false;
  const { id, title, lanes } = value as Partial<Definition>;
  return (
    typeof id === 'string' && id !== '' && typeof title === 'string' && typeof lanes === 'object' && lanes !== null
  );
}
