/**
 * Draws docs/images/start.svg, the picture of `npm start` in the README, from what the program really prints.
 *
 *   node scripts/setup.mjs && node scripts/picture.mjs
 */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { root } from './run.mjs';

const file = path.join(root, 'docs', 'images', 'start.svg');
const character = 7.8;
const lineHeight = 18;
const margin = 20;
const titleBar = 34;
const colours = {
  window: '#1e2127',
  bar: '#2c313a',
  text: '#c8ccd4',
  strong: '#ffffff',
  prompt: '#98c379',
  bad: '#e06c75',
};

const { stdout } = await promisify(execFile)(process.execPath, [path.join('dist', 'start.js'), '--once'], {
  cwd: root,
});
await mkdir(path.dirname(file), { recursive: true });
await writeFile(file, draw(linesOf(stdout)));
process.stdout.write(`Wrote ${path.relative(root, file)}.\n`);

/** A terminal shows bars that go away where a log has one line per uploaded file, so these lines are left out. */
function linesOf(output) {
  const printed = output.split('\n').filter((line) => !line.startsWith('uploaded '));
  const shown = ['$ npm start', ...printed].filter((line, at, all) => line !== '' || all[at - 1] !== '');
  return shown.at(-1) === '' ? shown.slice(0, -1) : shown;
}

/** Each line is stretched to its number of characters, so that columns meet whatever monospace font the reader has. */
function draw(lines) {
  const width = Math.ceil(Math.max(...lines.map((line) => [...line].length)) * character) + 2 * margin;
  const height = titleBar + lines.length * lineHeight + 2 * margin - 6;
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, at) => `<circle cx="${margin + at * 20}" cy="${titleBar / 2}" r="6" fill="${fill}"/>`,
  );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    '<title>npm start: the example pipeline reads fifteen documents and masks personal data</title>',
    '<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}</style>',
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${colours.window}" stroke="#7f848e"/>`,
    `<path d="M1 ${titleBar}V10a9 9 0 0 1 9-9H${width - 10}a9 9 0 0 1 9 9V${titleBar}z" fill="${colours.bar}"/>`,
    ...dots,
    ...lines.map((line, at) => text(line, titleBar + margin + at * lineHeight + 8)),
    '</svg>',
  ]
    .filter((part) => part !== '')
    .join('\n')}\n`;
}

function text(line, y) {
  if (line === '') return '';
  const length = ([...line].length * character).toFixed(1);
  return (
    `<text x="${margin}" y="${y}" fill="${colourOf(line)}" textLength="${length}" lengthAdjust="spacingAndGlyphs" ` +
    `xml:space="preserve">${escape(line)}</text>`
  );
}

function colourOf(line) {
  if (line.startsWith('$ ')) return colours.prompt;
  if (/^(Millrace runs|document |component |slowest )/.test(line)) return colours.strong;
  return /^\S+ .* - {2,}is /.test(line) ? colours.bad : colours.text;
}

function escape(line) {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
