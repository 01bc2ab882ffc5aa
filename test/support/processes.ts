import { readdirSync, readFileSync } from 'node:fs';

/** The processes below `pid`, itself included, as far as the system shows them (Linux); elsewhere `[pid]`. */
export function processTree(pid: number): number[] {
  const parents = new Map<number, number>();
  try {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const parent = parentOf(name);
      if (parent !== undefined) parents.set(Number(name), parent);
    }
  } catch {
    return [pid];
  }
  const tree = [pid];
  for (const found of tree) for (const [child, parent] of parents) if (parent === found) tree.push(child);
  return tree;
}

/** Whether a process runs. One that has ended and waits for its parent to notice does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return statOf(String(pid))?.[0] !== 'Z';
}

/** Open file descriptors of a process (Linux). */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Resident memory in MB (Linux). */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

function parentOf(pid: string): number | undefined {
  const parent = statOf(pid)?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** State, parent and so on of a process (Linux). */
function statOf(pid: string): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
