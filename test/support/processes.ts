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

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
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
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
