import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errorText } from '../../protocol/errors.js';
import { isLive } from '../../client/cli/io.js';
import { styleOf } from '../../client/cli/style.js';
import { UploadView } from '../../client/cli/uploadView.js';
import { type EventMessage, MillraceClient, type UploadProgress } from '../../client/typescript/src/index.js';
import { type EngineProcess, startEngineProcess } from './engineProcess.js';
import { analyticsTables, countsLine, documentTable } from './report.js';

/** Where things are, seen from the repository. */
const pipeline = join('examples', 'pipelines', 'documents.pipe.json');
const documents = join('examples', 'documents');

/** The main job: the engine on embedded defaults, the example pipeline over the example documents, and a report. */
async function main(root: string, once: boolean, interrupted: Promise<void>): Promise<void> {
  const { stdout } = process;
  const live = isLive(process, stdout);
  const style = styleOf(process, stdout);
  const engine = await startEngineProcess(join(root, 'engine', 'dist', 'main.js'));
  const client = new MillraceClient({ uri: engine.url, auth: engine.key });
  try {
    const work = async (): Promise<void> => {
      await client.connect();
      const started = await client.use({
        filepath: join(root, pipeline),
        ttl: 0,
        threads: 4,
        pipelineTraceLevel: 'summary',
      });
      stdout.write(`${style.bold('Millrace')} runs ${pipeline} over ${documents}\n\n`);
      const folder = join(root, documents);
      const names = (await readdir(folder)).sort();
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const view = live ? new UploadView(stdout, names.length, total) : undefined;
      const stopListening = client.listen(({ event, body }: EventMessage) => {
        if (event !== 'apaevt_status_upload') return;
        const progress = body as UploadProgress;
        view?.progress(progress);
        if (view === undefined && (progress.action === 'complete' || progress.action === 'error')) {
          stdout.write(`uploaded ${progress.filepath}\n`);
        }
      });
      const entries = names.map((name) => ({ file: join(folder, name), objinfo: { name }, filepath: name }));
      const results = await client.sendFiles(entries, started.token, { concurrency: 4 });
      stopListening();
      view?.end();
      const status = await client.getTaskStatus(started.token);
      stdout.write(
        `\n${documentTable(results, status, style)}\n${analyticsTables(status, style)}\n${countsLine(status)}`,
      );
      if (!once) stdout.write(howToGoOn(engine, started.token));
    };
    await Promise.race([work(), interrupted]);
    if (!once) await interrupted;
  } finally {
    await client.disconnect().catch(() => undefined);
    await engine.stop();
  }
}

function howToGoOn({ url, key }: EngineProcess, token: string): string {
  return `
The engine listens on ${url} and the pipeline still runs.

  command line   export MILLRACE_URI=${url} MILLRACE_APIKEY=${key}
                 node client/typescript/dist/cli.js send --token ${token} --file examples/documents/invoice.pdf
                 node client/typescript/dist/cli.js status --token ${token}
  TypeScript     new MillraceClient({ uri: '${url}', auth: '${key}' })
  HTTP           curl -H "Authorization: Bearer ${key}" "${url}/task?token=${token}"
  editor         the VS Code extension connects with the address ${url} and the key above

Ctrl-C ends everything.
`;
}

let interrupt: () => void = () => undefined;
const interrupted = new Promise<void>((done) => (interrupt = done));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interrupt());

main(resolve(import.meta.dirname, '..'), process.argv.includes('--once'), interrupted).catch((error: unknown) => {
  process.stderr.write(`error: ${errorText(error)}\n`);
  process.exitCode = 1;
});
