import {
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  TextDocumentSyncKind,
} from 'vscode-languageserver';
import { isRecord } from '../../../../pipeline/values.js';
import { servicesNotification } from '../../messages.js';
import { surroundingPatterns } from '../../surroundingFiles.js';
import type { Feature } from '../surroundings.js';

/**
 * Takes what the extension knows of the connected server, asks for the texts of files around pipelines while they are open, and lets the editor ask again for what depends on it. */
export const knowledgeFeature: Feature = (
  { connection, documents, knowledge },
  { capabilities: { textDocument, workspace }, onInitialized },
) => {
  connection.onNotification(servicesNotification, (params: unknown) => {
    knowledge.setServices(isRecord(params) ? params.services : undefined);
  });
  documents.onDidChangeSurroundings(() => knowledge.changed());
  onInitialized(() => {
    if (textDocument?.synchronization?.dynamicRegistration !== true) return;
    const documentSelector = surroundingPatterns.map((pattern) => ({ pattern }));
    const syncKind = TextDocumentSyncKind.Incremental;
    void connection.client.register(DidOpenTextDocumentNotification.type, { documentSelector });
    void connection.client.register(DidChangeTextDocumentNotification.type, { documentSelector, syncKind });
    void connection.client.register(DidCloseTextDocumentNotification.type, { documentSelector });
  });
  knowledge.onDidChange(() => {
    if (workspace?.inlayHint?.refreshSupport === true) void connection.languages.inlayHint.refresh();
    if (workspace?.semanticTokens?.refreshSupport === true) connection.languages.semanticTokens.refresh();
  });
  return {};
};
