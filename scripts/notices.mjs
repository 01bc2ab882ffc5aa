/**
 * The licences of what is inside bundles. A packed program contains code of other packages, and their licences ask
 * that their words go along with it.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const licenceFile = /^(licen[cs]e|copying|notice)\b.*$/i;
const line = '-'.repeat(100);

/**
 * One text with the licence of every package that the bundles contain, sorted by name.
 * @param {Record<string, { inputs: Record<string, { bytesInOutput: number }> }>} outputs as `buildAll` answers them
 * @param {string} root what their paths start from
 * @param {string} spare a folder with the licences of packages that forgot theirs, as `scope+name.txt`
 * @throws when a package has no licence file, because then somebody has to look for it
 */
export async function thirdPartyNotices(outputs, root, spare) {
  const folders = new Set(Object.values(outputs).flatMap(({ inputs }) => packagesOf(inputs, root)));
  const parts = await Promise.all([...folders].map((folder) => noticeOf(folder, spare)));
  parts.sort((one, other) => (one.title < other.title ? -1 : 1));
  // The same version may be installed in two places.
  const texts = new Map(parts.map(({ title, text }) => [title, `${line}\n${title}\n${line}\n\n${text}\n`]));
  const intro = `Millrace contains code of the ${texts.size} packages below, under these licences.`;
  return `${intro}\n\n${[...texts.values()].join('\n')}`;
}

/** The folders of the packages that something of is left in a bundle. */
function packagesOf(inputs, root) {
  return Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => {
    const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
    return folder === undefined || bytesInOutput === 0 ? [] : [path.resolve(root, folder)];
  });
}

async function noticeOf(folder, spare) {
  const { name, version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const names = (await readdir(folder)).filter((each) => licenceFile.test(each)).sort();
  const files = names.map((each) => path.join(folder, each));
  if (files.length === 0) files.push(path.join(spare, `${name.replace('/', '+')}.txt`));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8'))).catch((cause) => {
    const remedy = `look for it and put it into ${spare}`;
    throw new Error(`The package ${name} is bundled, but it has no file with its licence; ${remedy}`, { cause });
  });
  const text = texts.map((each) => each.replaceAll('\r\n', '\n').trim()).join('\n\n');
  return { title: `${name} ${version} (${license})`, text };
}
