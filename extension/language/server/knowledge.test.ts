import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodeAction, Diagnostic, Hover, MarkupContent, WorkspaceEdit } from 'vscode-languageserver';
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node.js';
import { createConnection } from 'vscode-languageserver/node.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { waitFor } from '../../../test/support/waitFor.js';
import { resolvedPipelineRequest, servicesNotification } from '../messages.js';
import { serve } from './serve.js';

const text = `{
  source: 'in',
  components: [
    { id: 'in', provider: 'magic', config: {} },
    { id: 'model', provider: 'llm_openai_api', config: { apikey: '\${MILLRACE_TEST_KEY}', model: 'm', base_url: 'http://localhost' }, input: [{ from: 'in', lane: 'questions' }] },
  ],
}
`;

describe('the language server and what is around a file', () => {
  let editor: MessageConnection;
  let folder: string;
  let uri: string;
  const published: Diagnostic[][] = [];
  const addresses: string[] = [];
  const address = (name: string): string => pathToFileURL(path.join(folder, name)).href;
  const codes = (): unknown[] | undefined => published.at(-1)?.map(({ code }) => code);
  const changed = (name: string): Promise<void> =>
    editor.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri: address(name), type: 1 }],
    });
  const at = (line: number, piece: string): object => {
    const character = (text.split('\n')[line] ?? '').indexOf(piece) + 1;
    return { textDocument: { uri }, position: { line, character } };
  };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'millrace-language-'));
    await mkdir(path.join(folder, 'pipelines'));
    await mkdir(path.join(folder, '.vscode'));
    const program = '${workspaceFolder}/pipelines/a.pipe';
    const launch = {
      configurations: [
        { type: 'millrace', program, source: 'in' },
        { type: 'millrace', program: 'b.pipe', source: 'in' },
      ],
    };
    await writeFile(path.join(folder, '.vscode', 'launch.json'), JSON.stringify(launch));
    uri = pathToFileURL(path.join(folder, 'pipelines', 'a.pipe')).href;
    const [up, down] = [new PassThrough(), new PassThrough()];
    serve(createConnection(new StreamMessageReader(up), new StreamMessageWriter(down)), bundledCatalogue());
    editor = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
    editor.onNotification('textDocument/publishDiagnostics', (params: { uri: string; diagnostics: Diagnostic[] }) => {
      addresses.push(params.uri);
      published.push(params.diagnostics);
    });
    editor.listen();
    const workspaceFolders = [{ uri: pathToFileURL(folder).href, name: 'folder' }];
    const providerPage = 'https://docs.test/providers.md#{id}';
    const initializationOptions = { showResolvedCommand: 'show', providerPage };
    await editor.sendRequest('initialize', {
      processId: null,
      rootUri: null,
      capabilities: {},
      workspaceFolders,
      initializationOptions,
    });
    await editor.sendNotification('initialized', {});
    await editor.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'millrace', version: 1, text },
    });
  });
  afterAll(async () => {
    editor.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('takes the providers of the connected server, and those of the bundle without one', async () => {
    await waitFor(() => codes()?.includes('provider_unknown') === true, 'the provider is unknown');
    await editor.sendNotification(servicesNotification, {
      services: { magic: { title: 'Magic' }, llm_openai_api: {} },
    });
    await waitFor(() => codes()?.includes('provider_unknown') === false, 'the server knows it');
    await editor.sendNotification(servicesNotification, { services: null });
    await waitFor(() => codes()?.includes('provider_unknown') === true, 'the bundle is back');
  });

  it('knows the variables of .env, and shows them masked', async () => {
    await waitFor(() => codes()?.includes('variable_undefined') === true, 'the variable is undefined');
    await writeFile(path.join(folder, '.env'), 'MILLRACE_TEST_KEY=0123456789\nOTHER=1\n');
    await changed('.env');
    await waitFor(() => codes()?.includes('variable_undefined') === false, 'the variable is defined');
    const hover = await editor.sendRequest<Hover>('textDocument/hover', at(4, 'MILLRACE'));
    expect(hover.contents).toMatchObject({ value: expect.stringContaining('01•••') });
    expect(JSON.stringify(hover)).toContain('../.env');
    const resolved = await editor.sendRequest<string>(resolvedPipelineRequest, { uri });
    expect(resolved).toContain('"apikey": "01•••"');
    expect(await editor.sendRequest(resolvedPipelineRequest, { uri: 'file:///none.pipe' })).toBeNull();
  });

  it('knows the variables of launch configurations', async () => {
    await rm(path.join(folder, '.env'));
    await changed('.env');
    await waitFor(() => codes()?.includes('variable_undefined') === true, 'the variable is undefined');
    await writeFile(path.join(folder, 'other.env'), 'MILLRACE_TEST_KEY=0123456789\n');
    const launch = path.join(folder, '.vscode', 'launch.json');
    const before = await readFile(launch, 'utf8');
    const program = 'pipelines/a.pipe';
    const configurations = [{ type: 'millrace', program, envFile: '${workspaceFolder}/other.env' }];
    await writeFile(launch, JSON.stringify({ configurations }));
    await changed('.vscode/launch.json');
    await waitFor(() => codes()?.includes('variable_undefined') === false, 'the variable is defined');
    await writeFile(launch, JSON.stringify({ configurations: [{ ...configurations[0], program: 'b.pipe' }] }));
    await changed('.vscode/launch.json');
    await waitFor(() => codes()?.includes('variable_undefined') === true, 'it is defined for another file only');
    await writeFile(launch, before);
  });

  it('sees what .env and launch.json are in the editor before they are saved', async () => {
    const open = (name: string, content: string): Promise<void> =>
      editor.sendNotification('textDocument/didOpen', {
        textDocument: { uri: address(name), languageId: 'plaintext', version: 1, text: content },
      });
    await open('.env', 'MILLRACE_TEST_KEY=unsaved-value\n');
    await waitFor(() => codes()?.includes('variable_undefined') === false, 'the variable is defined');
    const unsaved = { configurations: [{ type: 'millrace', program: 'pipelines/a.pipe', source: 'in' }] };
    await open('.vscode/launch.json', `// Unsaved\n${JSON.stringify(unsaved)}`);
    const edit = await editor.sendRequest<WorkspaceEdit>('textDocument/rename', { ...at(1, "'in'"), newName: 'entry' });
    expect(edit.changes?.[address('.vscode/launch.json')]).toMatchObject([{ range: { start: { line: 1 } } }]);
    expect(
      await editor.sendRequest('textDocument/documentSymbol', { textDocument: { uri: address('.env') } }),
    ).toBeNull();
    for (const name of ['.env', '.vscode/launch.json'])
      await editor.sendNotification('textDocument/didClose', { textDocument: { uri: address(name) } });
    await waitFor(() => codes()?.includes('variable_undefined') === true, 'what was not saved is gone');
    expect([...new Set(addresses)]).toEqual([uri]);
  });

  it('leads from a provider to its section of the documentation', async () => {
    const { contents } = await editor.sendRequest<Hover>('textDocument/hover', at(4, 'llm_openai_api'));
    expect((contents as MarkupContent).value).toContain('](https://docs.test/providers.md#llm_openai_api)');
    await editor.sendNotification(servicesNotification, {
      services: { magic: { title: 'Magic' }, llm_openai_api: {} },
    });
    await waitFor(() => codes()?.includes('provider_unknown') === false, 'the server has a provider of its own');
    expect(JSON.stringify(await editor.sendRequest('textDocument/hover', at(3, 'magic')))).not.toContain('](');
    await editor.sendNotification(servicesNotification, { services: null });
    await waitFor(() => codes()?.includes('provider_unknown') === true, 'the bundle is back');
  });

  it('renames the source in the launch configurations of the file', async () => {
    const edit = await editor.sendRequest<WorkspaceEdit>('textDocument/rename', { ...at(1, "'in'"), newName: 'entry' });
    const launch = pathToFileURL(path.join(folder, '.vscode', 'launch.json')).href;
    expect(edit.changes?.[uri]).toHaveLength(3);
    expect(edit.changes?.[launch]).toHaveLength(1);
  });

  it('offers mends where somebody asks, and the rest in the menu of sources', async () => {
    const range = { start: { line: 3, character: 30 }, end: { line: 3, character: 30 } };
    const ask = (only?: string[]): Promise<CodeAction[]> =>
      editor.sendRequest('textDocument/codeAction', {
        textDocument: { uri },
        range,
        context: { diagnostics: [], ...(only ? { only } : {}) },
      });
    expect((await ask(['source'])).map(({ kind }) => kind)).toEqual(['source']);
    expect((await ask(['source.fixAll'])).map(({ kind }) => kind)).toEqual([]);
    expect((await ask()).every(({ kind }) => kind === 'quickfix')).toBe(true);
  });
});
