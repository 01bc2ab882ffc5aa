/**
 * Draws docs/images/icon.png, which the Marketplace wants as a bitmap, from docs/images/icon.svg.
 *
 *   node scripts/icons.mjs PATH_OF_CHROMIUM
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './run.mjs';

const [executablePath] = process.argv.slice(2);
if (executablePath === undefined) throw new Error('Usage: node scripts/icons.mjs PATH_OF_CHROMIUM');

const images = path.join(root, 'docs', 'images');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 256, height: 256 } });
  const svg = await readFile(path.join(images, 'icon.svg'), 'utf8');
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
  await page.screenshot({ path: path.join(images, 'icon.png'), omitBackground: true });
} finally {
  await browser.close();
}
