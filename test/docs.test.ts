import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const notOurs = new Set(['node_modules', 'dist', '.git', '.cache', 'documents']);
const files = filesBelow('');
const pages = files.filter((file) => file.endsWith('.md'));

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : filesBelow(file);
    return [file];
  });
}

describe('the documentation', () => {
  it.each(pages)('%s links to pages and pictures that exist', (page) => {
    const text = readFileSync(path.join(root, page), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const missing = targets
      .filter((target) => !/^[a-z]+:|^#/.test(target))
      .filter((target) => !existsSync(path.join(root, path.dirname(page), target.replace(/#.*/, ''))));
    expect(missing).toEqual([]);
  });

  it('names files in ARCHITECTURE.md that exist', () => {
    const text = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
    const named = [...text.matchAll(/`([\w/.-]+\.(?:ts|mjs|json|md))`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  });
});
