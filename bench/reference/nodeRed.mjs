/**
 * node-red: Node-RED embedded in a process of its own, as its documentation describes, without editor and telemetry.
 * `/light` is HTTP In → three functions → HTTP response; `/pass/0` and `/pass/50` pass through so many functions.
 *
 *   node nodeRed.mjs <folder with node_modules> <user folder>
 */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { countWords, normalise, split } from '../job.mjs';
import { listen } from './listen.mjs';

const [installed, userDir] = process.argv.slice(2);
const require = createRequire(path.join(installed, 'index.js'));
const express = require('express');
const RED = require('node-red');

writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(makeFlows()));
const app = express();
const server = createServer(app);
RED.init(server, {
  httpAdminRoot: false,
  httpNodeRoot: '/',
  userDir,
  flowFile: 'flows.json',
  credentialSecret: false,
  telemetry: { enabled: false },
  logging: { console: { level: 'error', metrics: false, audit: false } },
  functionExternalModules: false,
});
app.use('/', RED.httpNode);
RED.events.once('flows:started', () => listen(server));
await RED.start();

function makeFlows() {
  return [
    { id: 'tab', type: 'tab', label: 'bench' },
    ...flow('light', [
      `const normalise = ${normalise}; msg.payload = normalise(msg.payload); return msg;`,
      `const split = ${split}; msg.chunks = split(msg.payload); return msg;`,
      `const countWords = ${countWords}; msg.payload = { chunks: msg.chunks, words: countWords(msg.payload) }; return msg;`,
    ]),
    ...flow('pass/0', []),
    ...flow('pass/50', Array(50).fill('return msg;')),
  ];
}

function flow(url, functions) {
  const id = (step) => `${url.replace('/', '')}n${step}`;
  const node = (step, rest) => ({ id: id(step), z: 'tab', x: 100, y: 100, name: '', wires: [[id(step + 1)]], ...rest });
  return [
    node(0, { type: 'http in', url: `/${url}`, method: 'post', upload: false }),
    ...functions.map((func, at) => node(at + 1, { type: 'function', func, outputs: 1, timeout: 0, libs: [] })),
    node(functions.length + 1, { type: 'http response', statusCode: '', headers: {}, wires: [] }),
  ];
}
