import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { ClientPackage, PackageKind } from './context.js';
import { findInstalledExtension } from './installedExtension.js';

/** The names that `npm run package` gives. Whatever else lies in the folder is not offered. */
const names: Readonly<Record<PackageKind, RegExp>> = {
  python: /^[a-z]+-(\d[\w.!+]*)-py3-none-any\.whl$/,
  typescript: /^[a-z]+-(\d[\w.+-]*)\.tgz$/,
  vscode: /^[a-z]+-(\d[\w.+-]*)\.vsix$/,
  shell: /^shell\.tgz$/,
  docs: /^docs\.zip$/,
  'typescript-init': /^typescript-init\.tgz$/,
};

/**
 * Lists the packages in the first of these folders that has any, once; what comes later is not served. The newest
 * version of a kind comes first.
 */
export function findPackages(folders: readonly string[]): ClientPackage[] {
  for (const folder of folders) {
    const found = listPackages(folder);
    if (found.length > 0) return found;
  }
  return [];
}

function listPackages(folder: string): ClientPackage[] {
  const files = filesOf(folder);
  const stored = Object.entries(names).flatMap(([kind, pattern]) =>
    files
      .flatMap((fileName) => {
        const [matched, version = ''] = pattern.exec(fileName) ?? [];
        return matched === undefined ? [] : [{ fileName, version }];
      })
      .sort((a, b) => compareVersions(b.version, a.version))
      .map(({ fileName }) => ({ kind: kind as PackageKind, fileName, file: path.join(folder, fileName) })),
  );
  const installed = findInstalledExtension(folder);
  return installed === undefined ? stored : [...stored, installed];
}

function filesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Numbers as numbers; a version with something after its numbers comes before the one without. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  if (left.rest === '' || right.rest === '') return Number(left.rest === '') - Number(right.rest === '');
  return left.rest.localeCompare(right.rest, 'en', { numeric: true });
}

function partsOf(version: string): { numbers: number[]; rest: string } {
  const [numbers = ''] = /^\d+(?:\.\d+)*/.exec(version) ?? [];
  return { numbers: numbers.split('.').map(Number), rest: version.slice(numbers.length) };
}
