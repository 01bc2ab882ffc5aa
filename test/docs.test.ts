import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchorsOf, pages, repositoryFiles, samplesOf, textOf } from './support/markdown.js';

const root = path.join(import.meta.dirname, '..');

describe('the documentation', () => {
  it.each(pages)('%s links to pages, headings and pictures that exist', (page) => {
    const targets = [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    const missing = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [, file = '', anchor] = /^([^#]*)(?:#(.*))?$/.exec(target) ?? [];
        const linked = file === '' ? page : path.posix.join(path.posix.dirname(page), file);
        if (!existsSync(path.join(root, linked))) return true;
        return anchor !== undefined && !anchorsOf(linked).has(anchor);
      });
    expect(missing).toEqual([]);
  });

  it('names files in ARCHITECTURE.md that exist', () => {
    const named = [...textOf('ARCHITECTURE.md').matchAll(/`([\w/.-]+\.(?:ts|mjs|json|md))`/g)].map(
      ([, name = '']) => name,
    );
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !repositoryFiles.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
  });

  it('names commands of a clone that exist, with files that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object };
    const lines = pages.flatMap((page) =>
      samplesOf(page)
        .filter(({ language }) => language === 'sh')
        .flatMap(({ text }) => text.split('\n').map((line) => line.replace(/ +#.*/, ''))),
    );
    const runs = lines.flatMap((line) => [...line.matchAll(/\bnpm (?:run )?([\w-]+)/g)]);
    const names = runs.map(([, name = '']) => name).filter((name) => name !== 'install');
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
    const files = lines
      .filter((line) => /\bnpm |\bnode \S+\.mjs$/.test(line))
      .flatMap((line) => [...line.matchAll(/[\w/]+\/[\w./]+\.(?:test\.ts|mjs)/g)].map(([file]) => file));
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});
