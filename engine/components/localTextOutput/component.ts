import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MillraceError, errorText } from '../../../protocol/errors.js';
import type { Component } from '../../runtime/component.js';
import { objectPath } from '../documents.js';
import { refuseUnsetVariables } from '../variables.js';
import type { LocalTextOutputConfig } from './definition.js';
import { relativeTextPath } from './relativePath.js';

export const component: Component<LocalTextOutputConfig> = {
  async start({ config }) {
    const root = await openFolder(config.parameters?.storePath);
    const exclude = config.parameters.exclude ?? 'N/A';

    return {
      pipe: (pipe) => {
        let text = '';
        const write = async (content: string): Promise<void> => {
          const name = objectPath(pipe.object);
          const relative = relativeTextPath(name, exclude);
          if (relative === undefined) {
            return pipe.warn(
              `"${name}" was not written: its path is not under "${exclude}" or leads out of the folder`,
            );
          }
          try {
            await writeBelow(root, relative, content);
          } catch (thrown) {
            pipe.warn(`"${name}" was not written: ${errorText(thrown)}`);
          }
        };

        return {
          open() {
            text = '';
          },
          lanes: {
            text(item) {
              text += item;
            },
          },
          closing: () => (text === '' ? undefined : write(text)),
          close() {
            text = '';
          },
        };
      },
    };
  },
};

async function openFolder(storePath: unknown): Promise<string> {
  if (typeof storePath !== 'string' || storePath.trim() === '') {
    throw new MillraceError('start_failed', 'No output folder is set', {
      hint: 'Set parameters.storePath to the folder that receives the text files.',
    });
  }
  refuseUnsetVariables('parameters.storePath', storePath);
  try {
    await mkdir(storePath, { recursive: true });
    return await realpath(storePath);
  } catch (cause) {
    throw new MillraceError('start_failed', `The output folder "${storePath}" cannot be used: ${errorText(cause)}`, {
      cause,
      hint: 'Choose a folder that the engine may write to.',
    });
  }
}

/** Writes to a path below `root`, and refuses when a link on the way leads out of it. */
async function writeBelow(root: string, relative: string, content: string): Promise<void> {
  const target = path.join(root, relative);
  const folder = path.dirname(target);
  await refuseLinks(root, target);
  await mkdir(folder, { recursive: true });
  await writeFile(target, content, 'utf8');
}

async function refuseLinks(root: string, target: string): Promise<void> {
  let step = root;
  for (const part of path.relative(root, target).split(path.sep)) {
    step = path.join(step, part);
    const found = await lstat(step).catch(() => undefined);
    if (found === undefined) return;
    if (found.isSymbolicLink()) throw new Error(`"${step}" is a link, which could lead out of the folder`);
  }
}
