import { diagnose } from '../../service/diagnostics.js';
import type { Feature } from '../surroundings.js';

/** Diagnostics wait until somebody pauses for this long, in milliseconds. */
const pause = 150;

/** Publishes what is wrong with the texts that are open. */
export const diagnosticsFeature: Feature = ({ connection, documents, catalogue }) => {
  const waiting = new Map<string, NodeJS.Timeout>();
  const publish = (uri: string): void => {
    waiting.delete(uri);
    const document = documents.get(uri);
    const diagnostics = document === undefined ? [] : diagnose(document, catalogue());
    void connection.sendDiagnostics({ uri, diagnostics });
  };
  documents.onDidChange((uri) => {
    clearTimeout(waiting.get(uri));
    waiting.set(
      uri,
      setTimeout(() => publish(uri), pause),
    );
  });
  documents.onDidClose((uri) => {
    clearTimeout(waiting.get(uri));
    waiting.delete(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  return {};
};
