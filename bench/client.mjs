/** The process that makes the load, for ours and for the references alike. Its parent orders one load at a time. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { countWords, normalise, sampleText } from './job.mjs';
import { HttpConnection } from './httpPost.mjs';
import { Session } from './session.mjs';

const loads = { send, post, upload, postUpload };

process.on('message', async ({ load, options }) => {
  try {
    const result = await new Promise((resolve, reject) => loads[load](options, resolve, reject).catch(reject));
    process.send({ result });
  } catch (error) {
    process.send({ error: error.message });
  }
});
process.on('disconnect', () => process.exit(0));

/**
 * Keeps `inFlight` objects under way for `seconds` (at most `maxItems`). `messages` 3 is open, write, close; 1 is send.
 * `files` sends these instead of the sample text.
 */
async function send(options, resolve, reject) {
  const { url, key, token, messages, inFlight, files } = options;
  const command = messages === 1 ? 'mrext_process' : 'rrext_process';
  const session = await Session.open(url, key, reject);
  const items = files === undefined ? [textItem()] : files.map(fileItem);
  const run = measure(options, (result) => {
    session.close();
    resolve(result);
  });
  let next = 0;
  const lane = () => {
    if (run.over()) return;
    const { object, mimeType, payload, check } = items[next++ % items.length];
    const started = performance.now();
    const done = (result) => {
      if (!check(result)) return reject(new Error(`unexpected result: ${JSON.stringify(result).slice(0, 300)}`));
      run.completed(started);
      return lane();
    };
    run.began();
    if (messages === 1) {
      session.ask(command, { subcommand: 'send', token, object, mimeType }, payload, done);
      return;
    }
    session.ask(command, { subcommand: 'open', token, object, mimeType }, undefined, ({ pipe_id }) =>
      session.ask(command, { subcommand: 'write', token, pipe_id }, payload, () =>
        session.ask(command, { subcommand: 'close', token, pipe_id }, undefined, done),
      ),
    );
  };
  for (let at = 0; at < inFlight; at++) lane();
}

/** The same over HTTP: `inFlight` kept-alive connections. */
async function post(options, resolve, reject) {
  const { payload } = textItem();
  const headers = { 'content-type': 'text/plain', ...options.headers };
  const connections = Array.from({ length: options.inFlight }, () => new HttpConnection(options.url, headers, reject));
  const run = measure(options, (result) => {
    for (const connection of connections) connection.close();
    resolve(result);
  });
  const lane = (connection) => {
    if (run.over()) return;
    const started = performance.now();
    run.began();
    connection.post(payload, (body) => {
      if (options.expect !== undefined && !body.includes(options.expect))
        return reject(new Error(`unexpected answer: ${body.slice(0, 300)}`));
      run.completed(started);
      return lane(connection);
    });
  };
  connections.forEach(lane);
}

/** One object of `bytes` in writes of `chunkBytes`, at most `window` of them unanswered. Gives MB/s. */
async function upload({ url, key, token, bytes, chunkBytes, window }, resolve, reject) {
  const session = await Session.open(url, key, reject);
  const command = 'rrext_process';
  const chunk = Buffer.alloc(chunkBytes, 'x');
  const total = bytes / chunkBytes;
  const object = { size: bytes };
  const { pipe_id } = await session.request(command, {
    subcommand: 'open',
    token,
    object,
    mimeType: 'application/octet-stream',
  });
  const started = performance.now();
  let sent = 0;
  let answered = 0;
  const next = () => {
    if (sent === total) return;
    sent++;
    session.ask(command, { subcommand: 'write', token, pipe_id }, chunk, () => {
      if (++answered === total) close();
      else next();
    });
  };
  const close = async () => {
    const result = await session.request(command, { subcommand: 'close', token, pipe_id });
    const seconds = (performance.now() - started) / 1000;
    session.close();
    if (result.bytes?.[0] === bytes) resolve({ megabytesPerSecond: bytes / 2 ** 20 / seconds });
    else reject(new Error(`unexpected result: ${JSON.stringify(result).slice(0, 300)}`));
  };
  for (let at = 0; at < window; at++) next();
}

/** One HTTP body of `bytes`. Gives MB/s. */
async function postUpload({ url, headers, bytes }, resolve, reject) {
  const chunk = Buffer.alloc(256 * 1024, 'x');
  const connection = new HttpConnection(url, { 'content-type': 'application/octet-stream', ...headers }, reject);
  const started = performance.now();
  connection.postMany(chunk, bytes / chunk.length, (body) => {
    const seconds = (performance.now() - started) / 1000;
    connection.close();
    if (body.includes(`"bytes":[${bytes}]`)) resolve({ megabytesPerSecond: bytes / 2 ** 20 / seconds });
    else reject(new Error(`unexpected answer: ${body.slice(0, 300)}`));
  });
}

/** Counts what completes until the time is over and nothing is under way any more. */
function measure({ seconds, maxItems }, done) {
  const started = performance.now();
  const latencies = [];
  let underWay = 0;
  let begun = 0;
  const over = () => begun >= maxItems || performance.now() - started >= seconds * 1000;
  return {
    over,
    began() {
      begun++;
      underWay++;
    },
    completed(began) {
      latencies.push(performance.now() - began);
      underWay--;
      if (underWay > 0 || !over()) return;
      const took = (performance.now() - started) / 1000;
      latencies.sort((a, b) => a - b);
      const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
      done({ items: latencies.length, seconds: took, perSecond: latencies.length / took, p50: at(0.5), p99: at(0.99) });
    },
  };
}

function textItem() {
  const text = sampleText(2048);
  const words = countWords(normalise(text));
  const payload = Buffer.from(text);
  const check = (result) =>
    result?.light === undefined ? Array.isArray(result?.text) : result.light[0].words === words;
  return { object: { size: payload.length }, mimeType: 'text/plain', payload, check };
}

function fileItem(file) {
  const payload = readFileSync(file);
  const object = { name: path.basename(file), size: payload.length };
  return { object, mimeType: 'application/octet-stream', payload, check: (result) => result?.error === undefined };
}
