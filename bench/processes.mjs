import { spawn } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

const ticksPerSecond = 100;

/** A cell in a process of its own. Its first line is JSON and tells where it listens; it ends when its stdin does. */
export class Cell {
  constructor(child, hello, startedMs) {
    this.pid = child.pid;
    this.hello = hello;
    /** From the spawn to the line that it listens. */
    this.startedMs = startedMs;
    this.child = child;
  }

  /** @throws when it ends before it listens, with what it wrote to its stderr */
  static start(args, env = {}) {
    const started = performance.now();
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    let errors = '';
    child.stderr.on('data', (text) => (errors = `${errors}${text}`.slice(-2000)));
    child.stdin.on('error', () => undefined);
    const lines = createInterface({ input: child.stdout });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}: ${errors}`)));
      lines.on('line', (line) => {
        if (line.startsWith('{')) resolve(new Cell(child, JSON.parse(line), performance.now() - started));
      });
    });
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
    await gone;
    clearTimeout(timer);
  }
}

/** The process and everything below it. */
export async function processTree(root) {
  const parents = new Map();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const fields = await statFields(entry);
    if (fields !== undefined) parents.set(Number(entry), Number(fields[1]));
  }
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}

/** CPU seconds, user and system, of the process and everything below it. */
export async function cpuSeconds(root) {
  let ticks = 0;
  for (const pid of await processTree(root)) {
    const fields = await statFields(pid);
    if (fields !== undefined) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / ticksPerSecond;
}

/** Resident and proportional memory of the process and everything below it, in MB. */
export async function memory(root) {
  const sum = { rss: 0, pss: 0 };
  for (const pid of await processTree(root)) {
    const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
    sum.rss += kilobytes(text, 'Rss') / 1024;
    sum.pss += kilobytes(text, 'Pss') / 1024;
  }
  return sum;
}

/** Follows the resident memory, in MB, of some processes. `stop` gives the most each has grown. */
export async function watchGrowth(pids, everyMs = 50) {
  const rss = async (pid) => kilobytes(await readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''), 'VmRSS') / 1024;
  const before = await Promise.all(pids.map(rss));
  const most = [...before];
  const look = async () => {
    for (const [at, pid] of pids.entries()) most[at] = Math.max(most[at], await rss(pid));
  };
  const timer = setInterval(() => void look(), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await look();
      return most.map((value, at) => value - before[at]);
    },
  };
}

function kilobytes(text, name) {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Fields of /proc/PID/stat from the state on; undefined when the process is gone. */
async function statFields(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}
