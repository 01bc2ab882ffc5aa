import {
  type ConnectionStrategy,
  createConnection,
  LSPErrorCodes,
  Message,
  ProposedFeatures,
} from 'vscode-languageserver/node.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { serve } from './serve.js';

/** While somebody types, most requests are taken back before their turn: they are not worked on at all. */
const strategy: ConnectionStrategy = {
  cancelUndispatched: (message) => {
    if (!Message.isRequest(message)) return undefined;
    const error = { code: LSPErrorCodes.RequestCancelled, message: 'The editor has taken the request back' };
    return { jsonrpc: '2.0', id: message.id, error };
  },
};

serve(createConnection(ProposedFeatures.all, strategy), bundledCatalogue());
