import { type Diagnostic, DiagnosticSeverity } from 'vscode-languageserver';
import { largestText } from '../../../../pipeline/analysis.js';
import { diagnose } from '../../service/diagnostics.js';
import type { Feature } from '../surroundings.js';

/** In milliseconds; the changes of one action come together, and what is asked at the same time is answered first. */
const pause = 20;

/** Silence would look like a file without problems. */
const tooLarge: Diagnostic = {
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
  severity: DiagnosticSeverity.Warning,
  code: 'file_too_large',
  source: 'millrace',
  message: `This file is larger than ${largestText / 1024 / 1024} MB: it is not checked, and nothing is completed or explained in it`,
};

/** Publishes what is wrong with the texts that are open. */
export const diagnosticsFeature: Feature = ({ connection, documents, knowledge, settings, catalogue }, { options }) => {
  // Where the page about a code is, in an editor that has them.
  const page = typeof options.problemPage === 'string' ? options.problemPage : undefined;
  const waiting = new Map<string, NodeJS.Timeout>();
  const publish = async (uri: string): Promise<void> => {
    waiting.delete(uri);
    await settings.load(uri);
    const text = documents.text(uri);
    if (text === undefined) return;
    const document = documents.get(uri);
    const diagnostics =
      document === undefined
        ? [tooLarge]
        : diagnose(document, catalogue(), {
            environment: new Set(knowledge.files.environment(uri).keys()),
            severities: settings.severities(uri),
            page,
          });
    void connection.sendDiagnostics({ uri, version: text.version, diagnostics });
  };
  const schedule = (uri: string): void => {
    clearTimeout(waiting.get(uri));
    waiting.set(
      uri,
      setTimeout(() => void publish(uri), pause),
    );
  };
  documents.onDidChange(schedule);
  knowledge.onDidChange(() => documents.open.forEach(schedule));
  settings.onDidChange(() => documents.open.forEach(schedule));
  documents.onDidClose((uri) => {
    clearTimeout(waiting.get(uri));
    waiting.delete(uri);
    settings.forget(uri);
    void connection.sendDiagnostics({ uri, diagnostics: [] });
  });
  return {};
};
