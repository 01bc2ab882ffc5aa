import { Cron } from 'croner';
import { errorText } from '../../protocol/errors.js';
import type { Deployment, DeploymentStore } from './deployments.js';
import { manual } from './schedule.js';

export interface SchedulerOptions {
  /** Resolves when the run has ended; rejects when it could not start. */
  run(keyId: string, pipeline: Readonly<Record<string, unknown>>): Promise<void>;
  log(line: string): void;
}

interface Job {
  schedule: string;
  cron: Cron;
}

/**
 * Runs the deployments by their schedules, in the server's time zone. A time that comes while the previous run of the
 * same deployment goes on is skipped; times that passed while the server was down are not made up for. A deployment
 * that failed to start is `errored` and stays scheduled, since the next run may find the cause gone.
 */
export class Scheduler {
  readonly #deployments: DeploymentStore;
  readonly #options: SchedulerOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #running = new Set<string>();
  readonly #unwatch: () => void;
  #disposed = false;

  constructor(deployments: DeploymentStore, options: SchedulerOptions) {
    this.#deployments = deployments;
    this.#options = options;
    this.#unwatch = deployments.watch((keyId, projectId, deployment) => this.#plan(keyId, projectId, deployment));
  }

  /** When a deployment runs next; undefined when it does not run by itself. */
  nextRun(keyId: string, projectId: string): Date | undefined {
    return this.#jobs.get(jobKey(keyId, projectId))?.cron.nextRun() ?? undefined;
  }

  /** Starts nothing more. Runs that go on are the business of whoever runs them. */
  dispose(): void {
    this.#disposed = true;
    this.#unwatch();
    for (const { cron } of this.#jobs.values()) cron.stop();
    this.#jobs.clear();
  }

  #plan(keyId: string, projectId: string, deployment: Deployment | undefined): void {
    const key = jobKey(keyId, projectId);
    const schedule = deployment === undefined || deployment.state === 'paused' ? manual : deployment.schedule;
    const present = this.#jobs.get(key);
    if (present?.schedule === schedule) return;
    present?.cron.stop();
    this.#jobs.delete(key);
    if (schedule === manual) return;
    const mode = schedule.startsWith('@') ? 'auto' : '5-part';
    const cron = new Cron(schedule, { mode, unref: true }, () => void this.#tick(keyId, projectId));
    this.#jobs.set(key, { schedule, cron });
  }

  async #tick(keyId: string, projectId: string): Promise<void> {
    const key = jobKey(keyId, projectId);
    if (this.#running.has(key)) {
      this.#options.log(`Deployment ${projectId} was skipped: its previous run is still going.`);
      return;
    }
    this.#running.add(key);
    try {
      await this.#run(keyId, projectId);
    } finally {
      this.#running.delete(key);
    }
  }

  async #run(keyId: string, projectId: string): Promise<void> {
    let failure: string | undefined;
    try {
      await this.#options.run(keyId, this.#deployments.status(keyId, projectId).pipeline);
    } catch (thrown) {
      failure = errorText(thrown);
      this.#options.log(`Deployment ${projectId} failed to start: ${failure}`);
    }
    if (this.#disposed) return;
    try {
      await this.#deployments.setState(keyId, projectId, failure === undefined ? 'active' : 'errored', failure);
    } catch (thrown) {
      this.#options.log(`The state of deployment ${projectId} could not be saved: ${errorText(thrown)}`);
    }
  }
}

function jobKey(keyId: string, projectId: string): string {
  return `${keyId}/${projectId}`;
}
