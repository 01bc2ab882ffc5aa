/** Task states of the specification; the number travels. */
export const TaskState = {
  NONE: 0,
  STARTING: 1,
  INITIALIZING: 2,
  RUNNING: 3,
  STOPPING: 4,
  COMPLETED: 5,
  CANCELLED: 6,
} as const;
export type TaskState = (typeof TaskState)[keyof typeof TaskState];

export interface TaskMetrics {
  /** 0–100, of the whole process tree, divided by the number of CPUs. */
  cpu_percent: number;
  cpu_memory_mb: number;
  gpu_memory_mb: number;
  peak_cpu_percent: number;
  peak_cpu_memory_mb: number;
  peak_gpu_memory_mb: number;
  avg_cpu_percent: number;
  avg_cpu_memory_mb: number;
  avg_gpu_memory_mb: number;
}

/** Billing tokens, cumulative over the run. */
export interface TaskTokens {
  cpu_utilization: number;
  cpu_memory: number;
  gpu_memory: number;
  gpu_inference: number;
  custom: Record<string, number>;
  total: number;
}

export interface ComponentStat {
  /** Completed enter/leave passes. */
  calls: number;
  totalSeconds: number;
  maxSeconds: number;
}

export interface SlowDoc {
  name: string;
  /** Seconds from begin to end. */
  elapsed: number;
  /** Unix time, seconds. */
  beginTime: number;
  /** `seqNo` of the begin event. */
  beginSeq: number | null;
}

export interface Pipeflow {
  /** Pipe instances created so far. */
  totalPipes: number;
  /** Pipe index → object name and the components it is in, outermost first. */
  byPipe: Record<string, string[]>;
}

/** TASK_STATUS. Times are Unix seconds, sizes bytes. */
export interface TaskStatus {
  state: TaskState;
  completed: boolean;
  name: string;
  project_id: string;
  source: string;
  startTime: number;
  endTime: number;
  totalCount: number;
  completedCount: number;
  failedCount: number;
  totalSize: number;
  completedSize: number;
  failedSize: number;
  wordsCount: number;
  wordsSize: number;
  rateCount: number;
  rateSize: number;
  errors: string[];
  warnings: string[];
  status: string;
  currentObject: string;
  currentSize: number;
  notes: (string | Record<string, unknown>)[];
  debuggerAttached: boolean;
  serviceUp: boolean;
  exitCode: number;
  exitMessage: string;
  metrics: TaskMetrics;
  tokens: TaskTokens;
  pipeflow: Pipeflow;
  componentStats: Record<string, ComponentStat>;
  slowestDocs: SlowDoc[];
  completionSeconds: number;
  idleSeconds: number;
  idleLongestSeconds: number;
  idleLongestAt: number;
}

export function emptyMetrics(): TaskMetrics {
  return {
    cpu_percent: 0,
    cpu_memory_mb: 0,
    gpu_memory_mb: 0,
    peak_cpu_percent: 0,
    peak_cpu_memory_mb: 0,
    peak_gpu_memory_mb: 0,
    avg_cpu_percent: 0,
    avg_cpu_memory_mb: 0,
    avg_gpu_memory_mb: 0,
  };
}

/** The status of a task that does not run, for `project_id` and `source`. */
export function emptyStatus(projectId = '', source = ''): TaskStatus {
  return {
    state: TaskState.NONE,
    completed: false,
    name: '',
    project_id: projectId,
    source,
    startTime: 0,
    endTime: 0,
    totalCount: 0,
    completedCount: 0,
    failedCount: 0,
    totalSize: 0,
    completedSize: 0,
    failedSize: 0,
    wordsCount: 0,
    wordsSize: 0,
    rateCount: 0,
    rateSize: 0,
    errors: [],
    warnings: [],
    status: '',
    currentObject: '',
    currentSize: 0,
    notes: [],
    debuggerAttached: false,
    serviceUp: false,
    exitCode: 0,
    exitMessage: '',
    metrics: emptyMetrics(),
    tokens: { cpu_utilization: 0, cpu_memory: 0, gpu_memory: 0, gpu_inference: 0, custom: {}, total: 0 },
    pipeflow: { totalPipes: 0, byPipe: {} },
    componentStats: {},
    slowestDocs: [],
    completionSeconds: 0,
    idleSeconds: 0,
    idleLongestSeconds: 0,
    idleLongestAt: 0,
  };
}
