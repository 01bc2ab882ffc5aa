import { open } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { MillraceError, errorText } from '../../../protocol/errors.js';
import { defaultMimeType } from '../../../protocol/limits.js';
import type { Component, Feed, FeedWriter, TaskContext } from '../../runtime/component.js';
import { refuseUnsetVariables } from '../variables.js';
import type { FilesysConfig } from './definition.js';
import { makePattern } from './patterns.js';
import { type FoundFile, walk } from './walk.js';

const chunkBytes = 1024 * 1024;

export const component: Component<FilesysConfig> = {
  start(context) {
    const include = (context.config.include ?? []).map(({ path }) => path).filter((path) => path.trim() !== '');
    if (include.length === 0) {
      throw new MillraceError('start_failed', 'No files are named', {
        hint: 'Set include to a list of {path}: files, folders or patterns such as /data/**/*.pdf.',
      });
    }
    for (const path of include) refuseUnsetVariables('include', path);
    return { pipe: () => ({}), run: (feed) => feedFiles(include, context, feed) };
  },
};

/** Hands over the files, as many at a time as the task has pipes. */
async function feedFiles(include: readonly string[], context: TaskContext<FilesysConfig>, feed: Feed): Promise<void> {
  const { config, signal, task, warn } = context;
  const running = new Set<Promise<void>>();
  const files = walk({
    include: include.map(makePattern),
    exclude: (config.exclude ?? []).map(({ path }) => makePattern(path)),
    followLinks: config.parameters?.excludeSymlinks === false,
    signal,
    warn,
  });
  for await (const file of files) {
    if (signal.aborted) break;
    const job = feedFile(file, feed, signal)
      .catch((thrown: unknown) => {
        if (!signal.aborted) warn(`"${file.path}" was not processed: ${errorText(thrown)}`);
      })
      .finally(() => running.delete(job));
    running.add(job);
    if (running.size >= Math.max(1, task.threads)) await Promise.race(running);
  }
  await Promise.all(running);
}

function feedFile(file: FoundFile, feed: Feed, signal: AbortSignal): Promise<void> {
  const entry = {
    name: file.path,
    url: pathToFileURL(file.path).href,
    mimeType: defaultMimeType,
    size: file.size,
    properties: { modifyTime: file.modifyTime },
  };
  return feed.object(entry, (writer) => writeFile(file, writer, signal));
}

async function writeFile(file: FoundFile, writer: FeedWriter, signal: AbortSignal): Promise<void> {
  const handle = await open(file.path, 'r');
  try {
    for (;;) {
      signal.throwIfAborted();
      // A buffer of its own for each piece: the pipeline may keep it.
      const buffer = new Uint8Array(Math.min(chunkBytes, Math.max(file.size, 4096)));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return;
      await writer.write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
