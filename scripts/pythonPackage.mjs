/**
 * Makes the wheel and the source distribution of client/python. It needs neither Python nor a registry, and the same
 * sources give the same bytes. What the metadata says is read from client/python/pyproject.toml, so that other build
 * tools, which build the same from the source distribution, need nothing else.
 *
 * Both carry two bundles of the npm package, for the commands that stand on Node (docs/adr/0034-python-command-on-node.md).
 */
import { gzipSync, zipSync } from 'fflate';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAll } from '../esbuild.mjs';
import { thirdPartyNotices } from './notices.mjs';
import { root } from './run.mjs';

const project = path.join(root, 'client', 'python');

/** What the bundles are called in the package, where no manifest says that a `.js` file is an ES module. */
const bundles = { 'cli.js': 'cli.mjs', 'languageServer.cjs': 'languageServer.cjs' };

/**
 * Builds the bundles and writes NAME-VERSION-py3-none-any.whl and NAME-VERSION.tar.gz.
 * @param {string} folder where they go, absolute; made when it is not there
 * @returns {Promise<{ wheel: string, sdist: string }>} the files, absolute
 */
export async function packagePython(folder) {
  await mkdir(path.join(root, '.cache'), { recursive: true });
  const stage = await mkdtemp(path.join(root, '.cache', 'python-package-'));
  try {
    const outputs = await buildAll({ into: path.relative(root, stage), production: true, offered: true });
    return await packagePythonWith(outputs, folder);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/**
 * The same from bundles that were built already.
 * @param {import('esbuild').Metafile['outputs']} outputs as `buildAll` answers them
 * @param {string} folder
 */
export async function packagePythonWith(outputs, folder) {
  const settings = readSettings(await text('pyproject.toml'));
  const { name, version } = settings.project;
  const metadata = Buffer.from(metadataOf(settings, await text('README.md')));
  const built = Object.entries(outputs).filter(([file]) => Object.hasOwn(bundles, path.basename(file)));
  const notices = await thirdPartyNotices(Object.fromEntries(built), root, path.join(root, 'packaging', 'licences'));
  const licenses = [
    ['LICENSE', Buffer.from((await readFile(path.join(root, 'LICENSE'), 'utf8')).replaceAll('\r\n', '\n'))],
    ['THIRD-PARTY-NOTICES.txt', Buffer.from(notices)],
  ];
  const modules = [
    ...(await sources(path.join('src', name))),
    ...(await Promise.all(built.map(([file]) => bundle(file, `${name}/node`)))),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const stem = `${name}-${version}`;
  await mkdir(folder, { recursive: true });
  const wheel = path.join(folder, `${stem}-py3-none-any.whl`);
  await writeFile(wheel, wheelOf(stem, modules, metadata, licenses, settings.scripts));
  const sdist = path.join(folder, `${stem}.tar.gz`);
  const files = [
    ...['pyproject.toml', 'README.md'].map(async (file) => [file, Buffer.from(await text(file))]),
    ...modules.map(([file, content]) => [`src/${file}`, content]),
    ...licenses,
    ['PKG-INFO', metadata],
  ];
  await writeFile(sdist, sdistOf(stem, await Promise.all(files)));
  return { wheel, sdist };
}

async function text(file) {
  return (await readFile(path.join(project, file), 'utf8')).replaceAll('\r\n', '\n');
}

async function bundle(file, folder) {
  return [`${folder}/${bundles[path.basename(file)]}`, await readFile(path.join(root, file))];
}

/** The modules with their paths as they are installed. */
async function sources(folder) {
  const entries = await readdir(path.join(project, folder), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /(\.py|py\.typed)$/.test(entry.name))
    .map((entry) => path.relative(project, path.join(entry.parentPath ?? entry.path, entry.name)));
  return Promise.all(
    files.map(async (file) => [
      path.relative('src', file).replaceAll(path.sep, '/'),
      Buffer.from((await text(file)).replaceAll('\r\n', '\n')),
    ]),
  );
}

/** The tables of the project, which hold strings and lists of strings. */
function readSettings(toml) {
  const table = (name) => {
    const [, body = ''] =
      new RegExp(`^\\[${name.replace('.', '\\.')}\\]\\n([^]*?)(?=^\\[|(?![^]))`, 'm').exec(toml) ?? [];
    const values = [...body.matchAll(/^([\w-]+) = ("[^"\n]*"|\[[^\]]*\])$/gm)];
    return Object.fromEntries(values.map(([, key, value]) => [key, JSON.parse(value.replace(/,\s*\]$/, ']'))]));
  };
  return {
    project: table('project'),
    extras: table('project.optional-dependencies'),
    scripts: table('project.scripts'),
  };
}

function metadataOf({ project, extras }, readme) {
  const lines = [
    ['Metadata-Version', '2.4'],
    ['Name', project.name],
    ['Version', project.version],
    ['Summary', project.description],
    ['License-Expression', project.license],
    ...project['license-files'].map((file) => ['License-File', file]),
    ['Keywords', [...project.keywords].sort().join(',')],
    ...project.classifiers.map((classifier) => ['Classifier', classifier]),
    ['Requires-Python', project['requires-python']],
    ...[...project.dependencies].sort().map((dependency) => ['Requires-Dist', dependency]),
    ...Object.entries(extras).flatMap(([extra, dependencies]) => [
      ['Provides-Extra', extra],
      ...dependencies.map((dependency) => ['Requires-Dist', `${dependency}; extra == '${extra}'`]),
    ]),
    ['Description-Content-Type', 'text/markdown'],
  ];
  return `${lines.map(([key, value]) => `${key}: ${value}\n`).join('')}\n${readme}`;
}

function wheelOf(stem, modules, metadata, licenses, scripts) {
  const info = `${stem}.dist-info`;
  const commands = Object.entries(scripts).map(([name, target]) => `${name} = ${target}\n`);
  const files = [
    ...modules,
    [`${info}/METADATA`, metadata],
    [
      `${info}/WHEEL`,
      Buffer.from('Wheel-Version: 1.0\nGenerator: millrace\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
    ],
    [`${info}/entry_points.txt`, Buffer.from(`[console_scripts]\n${commands.join('')}`)],
    ...licenses.map(([file, content]) => [`${info}/licenses/${file}`, content]),
  ];
  const record = files.map(([file, content]) => {
    const hash = createHash('sha256').update(content).digest('base64url');
    return `${file},sha256=${hash},${content.length}\n`;
  });
  files.push([`${info}/RECORD`, Buffer.from(`${record.join('')}${info}/RECORD,,\n`)]);
  // The format keeps local times: midnight here is the same bytes everywhere. The attributes are those of a plain file.
  const facts = { level: 9, mtime: new Date(1980, 0, 1), os: 3, attrs: 0o100644 << 16 };
  return zipSync(Object.fromEntries(files.map(([file, content]) => [file, [content, facts]])));
}

function sdistOf(stem, files) {
  const blocks = files
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([file, content]) => {
      const padding = Buffer.alloc((512 - (content.length % 512)) % 512);
      return [tarHeader(`${stem}/${file}`, content.length), content, padding];
    });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]), { level: 9, mtime: 0 });
}

/** The header of a plain file in a tar archive (ustar). */
function tarHeader(name, size) {
  if (Buffer.byteLength(name) > 100) throw new Error(`The path is too long for an archive: ${name}`);
  const header = Buffer.alloc(512);
  const octal = (value, length) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const fields = [
    [0, name],
    [100, octal(0o644, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(315532800, 12)],
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\0' + '00'],
  ];
  for (const [offset, value] of fields) header.write(value, offset, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

if (path.resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const { wheel, sdist } = await packagePython(path.resolve(process.argv[2] ?? path.join(root, 'dist', 'package')));
  process.stdout.write(`${wheel}\n${sdist}\n`);
}
