/**
 * Takes the pictures of the editor in docs/images from the tests in the real editor, which make them.
 *
 *   npm test -- test/editor && node scripts/editorPictures.mjs
 */
import { copyFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { root } from './run.mjs';

const pictures = { 'first-minute-3-result': 'editor', 'live-view-documents-flow': 'live-view' };

for (const [taken, name] of Object.entries(pictures)) {
  const to = path.join('docs', 'images', `${name}.png`);
  await copyFile(path.join(root, '.cache', 'screenshots', 'editor', `${taken}.png`), path.join(root, to));
  const { size } = await stat(path.join(root, to));
  process.stdout.write(`Wrote ${to}, ${Math.round(size / 1000)} KB.\n`);
}
