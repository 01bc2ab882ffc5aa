import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism, platform } from 'node:os';
import pidusage from 'pidusage';
import { type TaskMetrics, type TaskTokens, emptyMetrics } from '../../protocol/status.js';

/** CPU in percent of one processor (100 = one fully used), memory in MB. */
export interface Usage {
  cpuPercent: number;
  memoryMb: number;
  gpuMb: number;
}

export interface ProcessSampler {
  /** Usage of a process and its descendants since the last call for it; undefined once it is gone. */
  sample(pid: number): Promise<Usage | undefined>;
  forget(pid: number): void;
}

/** Linux gives the numbers in files; elsewhere pidusage asks the system's tools, for the process itself. */
export function makeSampler(): ProcessSampler {
  const gpu = new GpuSampler();
  return platform() === 'linux' ? new LinuxSampler(gpu) : new PortableSampler(gpu);
}

const clockTicksPerSecond = 100;
const mb = 1024 * 1024;

class LinuxSampler implements ProcessSampler {
  private readonly last = new Map<number, { ticks: number; at: number }>();

  constructor(private readonly gpu: GpuSampler) {}

  async sample(pid: number): Promise<Usage | undefined> {
    try {
      const pids = await this.tree(pid);
      let ticks = 0;
      let memoryMb = 0;
      for (const each of pids) {
        const [stat, status] = await Promise.all([readText(each, 'stat'), readText(each, 'status')]);
        // The name in parentheses may contain blanks; the fields that matter come after it.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        ticks += Number(fields[11]) + Number(fields[12]);
        memoryMb += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
      }
      const now = performance.now();
      const before = this.last.get(pid);
      this.last.set(pid, { ticks, at: now });
      const seconds = before === undefined ? 0 : (now - before.at) / 1000;
      const used = before === undefined ? 0 : Math.max(0, ticks - before.ticks) / clockTicksPerSecond;
      return { cpuPercent: seconds > 0 ? (used / seconds) * 100 : 0, memoryMb, gpuMb: this.gpu.memoryOf(pids) };
    } catch {
      return undefined;
    }
  }

  forget(pid: number): void {
    this.last.delete(pid);
  }

  private async tree(root: number): Promise<number[]> {
    const found = [root];
    for (const pid of found) {
      const children = await readText(pid, `task/${pid}/children`).catch(() => '');
      found.push(
        ...children
          .split(' ')
          .filter((text) => text !== '')
          .map(Number),
      );
    }
    return found;
  }
}

function readText(pid: number, file: string): Promise<string> {
  return readFile(`/proc/${pid}/${file}`, 'utf8');
}

class PortableSampler implements ProcessSampler {
  constructor(private readonly gpu: GpuSampler) {}

  async sample(pid: number): Promise<Usage | undefined> {
    try {
      const { cpu, memory } = await pidusage(pid);
      return { cpuPercent: cpu, memoryMb: memory / mb, gpuMb: this.gpu.memoryOf([pid]) };
    } catch {
      return undefined;
    }
  }

  forget(): void {
    pidusage.clear();
  }
}

/** Asks `nvidia-smi` at most every five seconds, in the background; never again when there is none. */
class GpuSampler {
  private readonly usedMb = new Map<number, number>();
  private askedAt = -Infinity;
  private state: 'unknown' | 'asking' | 'present' | 'absent' = 'unknown';

  memoryOf(pids: readonly number[]): number {
    this.refresh();
    return pids.reduce((sum, pid) => sum + (this.usedMb.get(pid) ?? 0), 0);
  }

  private refresh(): void {
    if (this.state === 'asking' || this.state === 'absent' || performance.now() - this.askedAt < 5000) return;
    this.state = 'asking';
    this.askedAt = performance.now();
    const query = ['--query-compute-apps=pid,used_memory', '--format=csv,noheader,nounits'];
    execFile('nvidia-smi', query, { timeout: 4000, windowsHide: true }, (error, stdout) => {
      this.state = error === null ? 'present' : 'absent';
      this.usedMb.clear();
      for (const line of stdout.split('\n')) {
        const [pid, used] = line.split(',').map(Number);
        if (pid !== undefined && used !== undefined && Number.isFinite(used)) this.usedMb.set(pid, used);
      }
    });
  }
}

/** Current, peak and average use of one run, and the billing tokens that follow from it (wire.md 5.9). */
export class UsageMeter {
  private readonly metrics: TaskMetrics = emptyMetrics();
  private cpuSeconds = 0;
  private memoryMbSeconds = 0;
  private gpuMbSeconds = 0;
  private seconds = 0;

  /** @param seconds since the last sample */
  add({ cpuPercent, memoryMb, gpuMb }: Usage, seconds: number): void {
    this.seconds += seconds;
    this.cpuSeconds += (cpuPercent / 100) * seconds;
    this.memoryMbSeconds += memoryMb * seconds;
    this.gpuMbSeconds += gpuMb * seconds;
    const { metrics } = this;
    metrics.cpu_percent = Math.min(100, round1(cpuPercent / availableParallelism()));
    metrics.cpu_memory_mb = round1(memoryMb);
    metrics.gpu_memory_mb = round1(gpuMb);
    metrics.peak_cpu_percent = Math.max(metrics.peak_cpu_percent, metrics.cpu_percent);
    metrics.peak_cpu_memory_mb = Math.max(metrics.peak_cpu_memory_mb, metrics.cpu_memory_mb);
    metrics.peak_gpu_memory_mb = Math.max(metrics.peak_gpu_memory_mb, metrics.gpu_memory_mb);
    const { seconds: all } = this;
    metrics.avg_cpu_percent = round1(all > 0 ? (this.cpuSeconds / all) * 100 : cpuPercent);
    metrics.avg_cpu_memory_mb = round1(all > 0 ? this.memoryMbSeconds / all : memoryMb);
    metrics.avg_gpu_memory_mb = round1(all > 0 ? this.gpuMbSeconds / all : gpuMb);
  }

  current(): TaskMetrics {
    return { ...this.metrics };
  }

  tokens(): TaskTokens {
    const cpu = round1((this.cpuSeconds / 3600) * 1020);
    const memory = round1((this.memoryMbSeconds / 1024 / 3600) * 100);
    const gpu = round1((this.gpuMbSeconds / 1024 / 3600) * 2140);
    return {
      cpu_utilization: cpu,
      cpu_memory: memory,
      gpu_memory: gpu,
      gpu_inference: 0,
      custom: {},
      total: round1(cpu + memory + gpu),
    };
  }
}

function round1(value: number): number {
  return Math.round(value * 10) / 10;
}
