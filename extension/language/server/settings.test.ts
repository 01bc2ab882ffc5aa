import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';
import { createConnection } from 'vscode-languageserver/node.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { waitFor } from '../../../test/support/waitFor.js';
import { serve } from './serve.js';

const uri = 'file:///project/a.pipe';
const text = `{ source: 'in', components: [
  { id: 'in', provider: 'webhook', config: {} },
  { id: 'out', provider: 'response', config: {}, input: [{ from: 'in', lane: 'text' }] },
  { id: 'lonely', provider: 'hash', config: {} },
] }`;

interface Published {
  diagnostics: { code: string; severity: number; codeDescription?: { href: string } }[];
}

interface Registered {
  registrations: { method: string }[];
}

const opened: { dispose(): void }[] = [];

afterEach(() => {
  for (const each of opened.splice(0)) each.dispose();
});

/** An editor with an open file, and what was last published about it. */
async function editor(
  capabilities: object,
  initializationOptions: object,
  answer?: () => unknown,
): Promise<{ connection: MessageConnection; last: () => Published | undefined; registered: string[] }> {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const server = createConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  serve(server, bundledCatalogue());
  const connection = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  opened.push(connection, server);
  let published: Published | undefined;
  const registered: string[] = [];
  connection.onNotification('textDocument/publishDiagnostics', (params: Published) => void (published = params));
  connection.onRequest('workspace/configuration', () => [answer?.()]);
  connection.onRequest('client/registerCapability', ({ registrations }: Registered) => {
    registered.push(...registrations.map(({ method }) => method));
    return null;
  });
  connection.listen();
  await connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities, initializationOptions });
  await connection.sendNotification('initialized', {});
  const textDocument = { uri, languageId: 'millrace', version: 1, text };
  await connection.sendNotification('textDocument/didOpen', { textDocument });
  return { connection, last: () => published, registered };
}

const shown = (published: Published | undefined): unknown =>
  published?.diagnostics.map(({ code, severity }) => [code, severity]);

describe('the settings of the editor', () => {
  it('give codes another severity, and are asked again when they change', async () => {
    let severity: unknown = { unreachable: 'error' };
    const capabilities = {
      workspace: {
        configuration: true,
        didChangeConfiguration: { dynamicRegistration: true },
        didChangeWatchedFiles: { dynamicRegistration: true },
      },
      textDocument: { synchronization: { dynamicRegistration: true } },
    };
    const { connection, last, registered } = await editor(capabilities, {}, () => ({ severity }));
    await waitFor(() => last() !== undefined, 'diagnostics are published');
    expect(shown(last())).toEqual([['unreachable', 1]]);
    expect(registered.sort()).toEqual([
      'textDocument/didChange',
      'textDocument/didClose',
      'textDocument/didOpen',
      'workspace/didChangeConfiguration',
      'workspace/didChangeWatchedFiles',
    ]);
    severity = { unreachable: 'off', nonsense: 1 };
    await connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
    await waitFor(() => last()?.diagnostics.length === 0, 'the code is off');
  });

  it('leave nothing to mend where a code is off', async () => {
    const { connection, last } = await editor({}, {});
    await waitFor(() => last() !== undefined, 'diagnostics are published');
    const line = text.split('\n').findIndex((each) => each.includes('lonely'));
    const range = { start: { line, character: 0 }, end: { line, character: 40 } };
    const ask = (): Promise<unknown[]> =>
      connection.sendRequest('textDocument/codeAction', { textDocument: { uri }, range, context: { diagnostics: [] } });
    expect(await ask()).not.toEqual([]);
    const settings = { millrace: { diagnostics: { severity: { unreachable: 'off' } } } };
    await connection.sendNotification('workspace/didChangeConfiguration', { settings });
    await waitFor(() => last()?.diagnostics.length === 0, 'the code is off');
    expect(await ask()).toEqual([]);
  });

  it('may come with the introduction or by themselves from an editor that cannot be asked', async () => {
    const options = { diagnostics: { severity: { unreachable: 'hint' } }, problemPage: 'file:///pages/{code}.md' };
    const { connection, last } = await editor({}, options);
    await waitFor(() => last() !== undefined, 'diagnostics are published');
    expect(shown(last())).toEqual([['unreachable', 4]]);
    expect(last()?.diagnostics[0]?.codeDescription?.href).toBe('file:///pages/unreachable.md');
    const settings = { millrace: { diagnostics: { severity: 'nonsense' } } };
    await connection.sendNotification('workspace/didChangeConfiguration', { settings });
    await waitFor(() => last()?.diagnostics[0]?.severity === 2, 'the severity is that of the table again');
  });
});
