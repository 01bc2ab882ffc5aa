import type { UploadResult } from '../../../protocol/results.js';
import { BaseClient, type ClientOptions } from './client.js';
import { Environment } from './environment.js';
import type { SendFilesOptions } from './files.js';
import { loadPipeline, type NodeFileEntry, resolveFiles } from './nodeFiles.js';
import { nodeTransport } from './transportNode.js';

export * from './api.js';
export { loadPipeline, type NodeFileEntry } from './nodeFiles.js';

/**
 * The client for Node: pipelines and uploads may be paths, variables come from `.env` and the process, and
 * `MILLRACE_URI` and `MILLRACE_APIKEY` stand in for `uri` and `auth`.
 */
export class MillraceClient extends BaseClient {
  constructor(options: ClientOptions = {}) {
    const environment = new Environment(process.env, process.cwd());
    super(options, {
      createTransport: nodeTransport,
      files: { load: loadPipeline, variables: () => environment.pipelineVariables() },
      defaults: () => ({ uri: environment.get('MILLRACE_URI'), auth: environment.get('MILLRACE_APIKEY') }),
    });
  }

  /**
   * Uploads files: paths, File objects or anything with a `stream()`. See the base method.
   *
   * @throws FileNotFoundError when a path is no file; nothing was sent then
   */
  override async sendFiles(
    files: readonly NodeFileEntry[],
    token: string,
    options?: SendFilesOptions,
  ): Promise<UploadResult[]> {
    return super.sendFiles(await resolveFiles(files), token, options);
  }
}
