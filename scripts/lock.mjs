import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, utimes, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const beatEvery = 2_000;
/** A holder that did not touch its lock for this long is gone, whatever its process id says. */
const staleAfter = 30_000;

/** Runs `work` while this process alone holds `file`. A lock whose holder died is taken over. */
export async function withLock(file, say, work) {
  await acquire(file, say);
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now, () => {});
  }, beatEvery);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(file, { force: true });
  }
}

async function acquire(file, say) {
  for (let waited = false; !tryCreate(file); waited = true) {
    if (removeIfStale(file)) continue;
    if (!waited) say('waiting for another set-up of this folder');
    await delay(200);
  }
}

function tryCreate(file) {
  try {
    const handle = openSync(file, 'wx');
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function removeIfStale(file) {
  try {
    const holder = readFileSync(file, 'utf8');
    const silent = Date.now() - statSync(file).mtimeMs > staleAfter;
    // An empty file is a lock whose holder is about to write its process id.
    if (!silent && (holder === '' || isAlive(Number(holder)))) return false;
    const aside = `${file}.${process.pid}`;
    renameSync(file, aside);
    // Another waiter may have replaced the stale lock by its own between the look and the rename: give it back.
    if (readFileSync(aside, 'utf8') !== holder) renameSync(aside, file);
    else rmSync(aside, { force: true });
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return true;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
