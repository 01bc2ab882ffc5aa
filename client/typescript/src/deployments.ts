import type { Pipeline } from '../../../pipeline/model.js';
import { isRecord } from '../../../pipeline/values.js';
import type { Session } from './session.js';
import { defined, type PipelineInput } from './tasks.js';

export interface Deployment {
  pipeline: Pipeline;
  /** `manual`, `@daily` and its like, or five cron fields. */
  schedule: string;
  state: 'active' | 'paused' | 'errored';
  created_by?: string;
  /** Unix time, seconds. */
  created_at: number;
  /** Unix time, seconds. */
  updated_at: number;
}

/** Pipelines kept on the server, one per project id. Every method throws `deployment_failed` when refused. */
export class Deployments {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** @param pipeline needs a `project_id` that has no deployment yet; kept as it is, variables unsubstituted */
  async add(pipeline: PipelineInput, schedule = 'manual'): Promise<Deployment> {
    return (await this.#session.call('deploy_add', { pipeline, schedule })).body as Deployment;
  }

  async list(): Promise<Deployment[]> {
    const { body } = await this.#session.call('deploy_list');
    return isRecord(body) && Array.isArray(body.deployments) ? (body.deployments as Deployment[]) : [];
  }

  async status(projectId: string): Promise<Deployment> {
    return (await this.#session.call('deploy_status', { projectId })).body as Deployment;
  }

  async update(projectId: string, changes: { pipeline?: PipelineInput; schedule?: string }): Promise<void> {
    const { pipeline, schedule } = changes;
    await this.#session.call('deploy_update', { projectId, ...defined({ pipeline, schedule }) });
  }

  async remove(projectId: string): Promise<void> {
    await this.#session.call('deploy_remove', { projectId });
  }
}
