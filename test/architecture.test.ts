import { readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { satisfies } from 'semver';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import layerTable from './layers.json' with { type: 'json' };

/** The rules that the linter keeps line by line, derived again from the sources, so that no setting can hide a breach. */
const root = fileURLToPath(new URL('..', import.meta.url));

interface Layer {
  /** Folders this one may import, besides itself. */
  may: string[];
  /** Packages it may import; absent when it may import any that its package.json names. */
  packages?: string[];
  node: boolean;
  /** The files that may use Node in a layer that otherwise does not; what a browser loads must not reach them. */
  nodeFiles?: string[];
}
const layers: Record<string, Layer> = layerTable;

/** Breaches that are right, each with its reason. The key is `file -> import`. */
const allowedImports: Record<string, string> = {};

interface Source {
  file: string;
  text: string;
  /** Repository files it imports, those behind a dynamic `import()` too. */
  imports: string[];
  packages: string[];
}

const skipped = new Set(['node_modules', 'dist', '.git', '.cache', '.venv', '__pycache__', 'coverage']);

function listFiles(folder = ''): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (skipped.has(entry.name)) return [];
    return entry.isDirectory() ? listFiles(name) : [name];
  });
}

function readSource(file: string): Source {
  const text = readFileSync(path.join(root, file), 'utf8');
  const named = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const toSource = (name: string) => path.posix.join(path.posix.dirname(file), name).replace(/\.js(x?)$/, '.ts$1');
  return {
    file,
    text,
    imports: named.filter((name) => name.startsWith('.')).map(toSource),
    packages: named.filter((name) => !name.startsWith('.')),
  };
}

const files = listFiles();
const sources = files.filter((file) => /(?<!\.d)\.tsx?$/.test(file)).map(readSource);
/** Tests and what only they use may import anything. */
const isTest = (file: string) => /\.test\.tsx?$|^(test|bench)\/|\/testing(\/|\.ts$)/.test(file);
const product = sources.filter(({ file }) => !isTest(file));

const layerOf = (file: string) =>
  Object.keys(layers)
    .filter((folder) => file.startsWith(`${folder}/`))
    .sort((a, b) => b.length - a.length)[0];

const isNode = (name: string) => name.startsWith('node:') || builtinModules.includes(name) || name === 'ws';

/** `react-dom/client` is a part of `react-dom`. */
const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');

const readJson = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8')) as Record<string, unknown>;

describe('the import table', () => {
  it('names every folder that holds product code', () => {
    const homeless = product
      .map(({ file }) => file)
      .filter((file) => !layerOf(file) && !/^(engine\/)?[\w.]+$/.test(file));
    expect(homeless).toEqual([]);
  });

  it('lets a layer import only the layers below it', () => {
    const breaches = product.flatMap(({ file, imports }) => {
      const layer = layerOf(file);
      if (!layer) return [];
      const allowed = [layer, ...(layers[layer]?.may ?? [])];
      return imports
        .filter((target) => !allowed.includes(layerOf(target) ?? target))
        .map((target) => `${file} -> ${target}`)
        .filter((breach) => !(breach in allowedImports));
    });
    expect(breaches).toEqual([]);
  });

  it('keeps what only tests use out of the product', () => {
    const breaches = product.flatMap(({ file, imports }) =>
      imports.filter(isTest).map((target) => `${file} -> ${target}`),
    );
    expect(breaches).toEqual([]);
  });

  it('keeps Node out of what also runs in a browser', () => {
    const breaches = product.flatMap(({ file, packages }) => {
      const layer = layerOf(file) ?? '';
      const rules = layers[layer];
      if (!rules || rules.node || rules.nodeFiles?.some((name) => file === `${layer}/${name}`)) return [];
      return packages.filter(isNode).map((name) => `${file} -> ${name}`);
    });
    expect(breaches.filter((breach) => !(breach in allowedImports))).toEqual([]);
  });

  it('lets a browser load the client without any of its files for Node', () => {
    const reached = new Set<string>();
    const visit = (file: string) => {
      if (reached.has(file)) return;
      reached.add(file);
      product.find((source) => source.file === file)?.imports.forEach(visit);
    };
    visit('client/typescript/src/browser.ts');
    const forNode = (layers['client/typescript']?.nodeFiles ?? []).map((name) => `client/typescript/${name}`);
    expect(forNode.filter((file) => reached.has(file))).toEqual([]);
  });

  it('keeps packages out of the layers that need none', () => {
    const breaches = product.flatMap(({ file, packages }) => {
      const known = layers[layerOf(file) ?? '']?.packages;
      return known
        ? packages.filter((name) => !known.includes(packageOf(name))).map((name) => `${file} -> ${name}`)
        : [];
    });
    expect(breaches.filter((breach) => !(breach in allowedImports))).toEqual([]);
  });

  it('has no exception that nothing needs any more', () => {
    const present = product.flatMap(({ file, imports, packages }) =>
      [...imports, ...packages].map((target) => `${file} -> ${target}`),
    );
    expect(Object.keys(allowedImports).filter((breach) => !present.includes(breach))).toEqual([]);
  });

  it('describes a component without loading what it runs on', () => {
    const light = (name: string) => name === '@sinclair/typebox';
    const heavy = product
      .filter(({ file }) => /^engine\/components\/.*\bdefinitions?\.ts$/.test(file))
      .flatMap(({ file, packages }) => packages.filter((name) => !light(name)).map((name) => `${file} -> ${name}`));
    expect(heavy).toEqual([]);
  });

  it('has no file that imports itself in a circle, not even of types', () => {
    const graph = new Map(product.map(({ file, imports }) => [file, imports]));
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, trail: string[]) => {
      const start = trail.indexOf(file);
      if (start >= 0) circles.push([...trail.slice(start), file].join(' -> '));
      if (start >= 0 || done.has(file)) return;
      for (const target of graph.get(file) ?? []) visit(target, [...trail, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(circles).toEqual([]);
  });
});

describe('the sources', () => {
  it('have no default exports, so that a thing has one name everywhere', () => {
    const found = product
      .filter(({ file }) => !file.endsWith('.config.ts'))
      .filter(({ text }) => /^export default\b|^export \{[^}]*\bas default\b/m.test(text));
    expect(found.map(({ file }) => file)).toEqual([]);
  });

  it('stay below 600 lines a file', () => {
    const long = sources.map(({ file, text }) => ({ file, lines: text.split('\n').length }));
    expect(long.filter(({ lines }) => lines > 600)).toEqual([]);
  });

  it('are named in camelCase', () => {
    const odd = sources.filter(({ file }) => !/^[a-z][A-Za-z0-9]*(\.[a-z]+)*\.tsx?$/.test(path.posix.basename(file)));
    expect(odd.map(({ file }) => file).filter((file) => !file.startsWith('webview/'))).toEqual([]);
  });

  it('switch no check off', () => {
    // Written in two halves, so that this file does not find itself.
    const switches = ['eslint-' + 'disable', '@ts-' + 'ignore', '@ts-' + 'nocheck', '@ts-' + 'expect-error'];
    const found = sources.flatMap(({ file, text }) =>
      switches.filter((word) => text.includes(word)).map((word) => `${file}: ${word}`),
    );
    expect(found).toEqual([]);
  });

  it('print through their logger or stream, never through the console', () => {
    expect(product.filter(({ text }) => /\bconsole\.\w+\(/.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('run no code that came as text', () => {
    const dangerous = /\beval\(|\bnew Function\(|from '(node:)?vm'|shell: true/;
    expect(product.filter(({ text }) => dangerous.test(text)).map(({ file }) => file)).toEqual([]);
  });
});

describe('the files of the repository', () => {
  const textual = /\.(ts|tsx|js|mjs|json|json5|pipe|md|ya?ml|py|toml|sh|css|html|svg)$|^\.(?!env)[\w-]+$|^\.ci\//;

  it('name no path of somebody’s machine and no package registry', () => {
    // Written in two halves, so that this file does not find itself.
    const forbidden = [
      '/wo' + 'rk/',
      '/ho' + 'me/',
      'registry.npm' + 'js.org',
      'C:\\Us' + 'ers',
      'pypi.or' + 'g/simple',
    ];
    const found = files
      .filter((file) => textual.test(file))
      .flatMap((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        return forbidden.filter((word) => text.includes(word)).map((word) => `${file}: ${word}`);
      });
    expect(found).toEqual([]);
  });

  it('start with the line that lets a shell run them, where they are commands', () => {
    const entries = ['engine/main.ts', 'client/cli/main.ts'].filter((file) => files.includes(file));
    const without = entries.filter(
      (file) => !/^#!\/usr\/bin\/env (-S node --\S+|node)\n/.test(readFileSync(path.join(root, file), 'utf8')),
    );
    expect(without).toEqual([]);
  });

  it('are packed by an allow-list', () => {
    const lines = readFileSync(path.join(root, '.vscodeignore'), 'utf8').split('\n').filter(Boolean);
    expect(lines[0]).toBe('**');
    expect(lines.slice(1).filter((line) => !line.startsWith('!'))).toEqual([]);
    expect(lines.filter((line) => /\.map$|\.ts$|node_modules|test/.test(line))).toEqual([]);
  });
});

describe('the packages', () => {
  interface Locked {
    name?: string;
    version?: string;
    license?: string;
    dev?: boolean;
    devOptional?: boolean;
    optional?: boolean;
    link?: boolean;
    hasInstallScript?: boolean;
    resolved?: string;
    integrity?: string;
    engines?: { node?: string };
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  }
  const locked = readJson('package-lock.json')['packages'] as Record<string, Locked>;
  const own = ['', 'engine', 'client/typescript'];
  const manifests = own.map((folder) => ({ folder, manifest: readJson(path.posix.join(folder, 'package.json')) }));
  const foreign = Object.entries(locked).filter(([folder, { link }]) => folder.includes('node_modules/') && !link);

  it('run nothing when they are installed', () => {
    const hooks = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
    const found = manifests.flatMap(({ folder, manifest }) =>
      hooks.filter((hook) => Object.hasOwn(manifest['scripts'] ?? {}, hook)).map((hook) => `${folder}: ${hook}`),
    );
    expect(found).toEqual([]);
  });

  it('depend on nothing that runs a script at its installation, except tools that also work without', () => {
    // esbuild brings its binary as an optional package; fsevents only makes watching faster on macOS.
    const works = new Set(['esbuild', 'fsevents']);
    const found = foreign.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const wrong = found.filter(
      ([folder, { dev }]) => !works.has(folder.replace(/^.*node_modules\//, '')) || dev !== true,
    );
    expect(wrong.map(([folder]) => folder)).toEqual([]);
  });

  it('have permissive licences', () => {
    const permissive = new Set(
      '0BSD MIT MIT-0 ISC Apache-2.0 BSD-2-Clause BSD-3-Clause BlueOak-1.0.0 Python-2.0 CC0-1.0 CC-BY-4.0 Unlicense Zlib'.split(
        ' ',
      ),
    );
    // axe-core, which only tests run: nothing of it is handed on, so its copyleft on files asks for nothing.
    const onlyForTests = new Set([...permissive, 'MPL-2.0']);
    const isPermissive = (expression: string, accepted: Set<string>) => {
      const choices = expression.replace(/[()]/g, '').split(' OR ');
      return choices.some((choice) => choice.split(' AND ').every((name) => accepted.has(name)));
    };
    const odd = foreign.filter(
      ([, { license, dev }]) => !isPermissive(license ?? 'none', dev === true ? onlyForTests : permissive),
    );
    expect(odd.map(([folder, { license }]) => `${folder}: ${license ?? 'none'}`)).toEqual([]);
  });

  it('all run on the oldest Node that is promised, and on Node 22', () => {
    const promised = ['20.18.0', '22.0.0'];
    const newer = foreign.filter(([, { engines }]) => !promised.every((node) => satisfies(node, engines?.node ?? '*')));
    expect(newer.map(([folder, { engines }]) => `${folder}: ${engines?.node ?? ''}`)).toEqual([]);
  });

  it('are locked by content, without the address of the registry they came from', () => {
    const loose = foreign.filter(([, { integrity, resolved }]) => !integrity || resolved !== undefined);
    expect(loose.map(([folder]) => folder)).toEqual([]);
  });

  it('are locked as the manifests ask', () => {
    for (const { folder, manifest } of manifests) {
      expect(locked[folder]?.dependencies ?? {}).toEqual(manifest['dependencies'] ?? {});
      expect(locked[folder]?.devDependencies ?? {}).toEqual(manifest['devDependencies'] ?? {});
    }
  });

  it('name in their manifest whatever the code imports', () => {
    const needed = { engine: /^engine\//, 'client/typescript': /^client\// };
    const missing = Object.entries(needed).flatMap(([folder, where]) => {
      const manifest = readJson(`${folder}/package.json`);
      // What is bundled is needed to build only: the engine's package carries all of it in its files.
      const named = ['dependencies', 'devDependencies'].flatMap((kind) => Object.keys(manifest[kind] ?? {}));
      return product
        .filter(({ file }) => where.test(file))
        .flatMap(({ file, packages }) =>
          packages
            .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
            .map(packageOf)
            .filter((name) => !named.includes(name))
            .map((name) => `${file} -> ${name}`),
        );
    });
    expect(missing).toEqual([]);
  });
});
