import * as vscode from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node.js';
import { errorText } from '../../protocol/errors.js';
import type { Connections } from '../connections/connection.js';
import { commands, languageId, showProblemCommand, showProviderCommand, showUsesCommand } from '../identifiers.js';
import type { Log } from '../log.js';
import {
  resolvedPipelineRequest,
  type ResolvedPipelineParams,
  servicesNotification,
  type ServicesParams,
} from './messages.js';
import { ServerProviders } from './serverProviders.js';
import { goesOn } from './service/completion.js';

export interface LanguageClientOptions {
  readonly extensionUri: vscode.Uri;
  readonly connections: Connections;
  readonly log: Log;
}

/** The language server of this window, running. */
export interface RunningLanguage extends vscode.Disposable {
  /** The pipeline of an open document as it would run, as text; undefined when the server has nothing to say. */
  resolvedPipeline(uri: vscode.Uri): Promise<string | undefined>;
}

/** Starts the language server as a process of its own, so that a large file never makes other extensions wait. */
export async function startLanguageClient({
  extensionUri,
  connections,
  log,
}: LanguageClientOptions): Promise<RunningLanguage> {
  const module = vscode.Uri.joinPath(extensionUri, 'dist', 'languageServer.cjs').fsPath;
  // Most of what it makes is gone after the next key. A smaller nursery costs a millisecond and saves 40 MB; with a bound,
  // far above what the largest text takes, the heap also grows in steps of less than twice its size, which saves 20 more.
  const options = { execArgv: ['--max-semi-space-size=4', '--max-old-space-size=1000'] };
  const server = { module, transport: TransportKind.ipc, options };
  const client = new LanguageClient(
    languageId,
    'Millrace Language',
    { run: server, debug: server },
    {
      documentSelector: [{ language: languageId }],
      markdown: { isTrusted: { enabledCommands: [showProviderCommand] } },
      initializationFailedHandler: () => false,
      initializationOptions: {
        problemPage: `command:${showProblemCommand}?%5B%22{code}%22%5D`,
        providerPage: `command:${showProviderCommand}?%5B%22{id}%22%5D`,
        showResolvedCommand: commands.showResolved,
        showReferencesCommand: showUsesCommand,
      },
      middleware: {
        provideCompletionItem: async (document, position, context, token, next) => {
          const found = await next(document, position, context, token);
          for (const item of Array.isArray(found) ? found : (found?.items ?? [])) goOn(item);
          return found;
        },
      },
    },
  );
  await client.start();
  const providers = new ServerProviders(connections, log, (services) => {
    const params: ServicesParams = { services };
    client.sendNotification(servicesNotification, params).catch((thrown: unknown) => log.debug(errorText(thrown)));
  });
  return {
    resolvedPipeline: async (uri) => {
      const params: ResolvedPipelineParams = { uri: client.code2ProtocolConverter.asUri(uri) };
      const text: unknown = await client.sendRequest(resolvedPipelineRequest, params);
      return typeof text === 'string' ? text : undefined;
    },
    dispose: () => {
      providers.dispose();
      client.dispose().catch((thrown: unknown) => log.debug(errorText(thrown)));
    },
  };
}

/** The next thing to write is chosen as well: the list opens again. */
function goOn(item: vscode.CompletionItem & { readonly data?: unknown }): void {
  if (item.data === goesOn) item.command = { title: 'Go on', command: 'editor.action.triggerSuggest' };
}
