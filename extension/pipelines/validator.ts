import * as vscode from 'vscode';
import { errorText } from '../../protocol/errors.js';
import type { Connections } from '../connections/connection.js';
import type { RunHost } from '../runs/runHost.js';
import type { AnalysisOptionsOf } from './analysisOptions.js';
import { type Finding, findProblems, localCheck, serverCheck, withoutKnown } from './validation.js';

export interface PipelineValidatorDeps {
  readonly host: Pick<RunHost, 'readPipeline'>;
  readonly connections: Pick<Connections, 'current'>;
  readonly analysis: AnalysisOptionsOf;
  readonly log: Pick<vscode.LogOutputChannel, 'warn'>;
}

/** Checks pipeline files and keeps their problems in the Problems view: until the file is right, or gone. */
export class PipelineValidator implements vscode.Disposable {
  readonly #deps: PipelineValidatorDeps;
  readonly #problems = vscode.languages.createDiagnosticCollection('millrace');
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(deps: PipelineValidatorDeps) {
    this.#deps = deps;
    this.#subscriptions = [
      // Whoever corrects a file sees its problems go without asking again.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (this.#problems.has(uri)) void this.validate(uri).catch((reason: unknown) => this.#warn(reason));
      }),
      vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach((file) => this.#problems.delete(file))),
      vscode.workspace.onDidRenameFiles(({ files }) => files.forEach(({ oldUri }) => this.#problems.delete(oldUri))),
    ];
  }

  /**
   * Checks a file, with the server of the current connection where there is one.
   *
   * @throws MillraceError when the file cannot be read or the server fails
   */
  async validate(file: vscode.Uri): Promise<readonly Finding[]> {
    const { host, connections, analysis } = this.#deps;
    const text = await host.readPipeline(file);
    const client = await this.#client(connections);
    const check = client === undefined ? localCheck : serverCheck(client);
    const findings = await findProblems(text, file.path, check, analysis(file));
    this.#problems.delete(file);
    const left = withoutKnown(findings, knownProblems(file));
    if (left.length > 0) this.#problems.set(file, left.map(diagnosticOf));
    return findings;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#problems.dispose();
  }

  /** What is known without a server is worth more than a message that there is none. */
  async #client({ current }: Pick<Connections, 'current'>) {
    try {
      return current.connected ?? (await current.client());
    } catch (thrown) {
      this.#warn(thrown);
      return undefined;
    }
  }

  #warn(reason: unknown): void {
    this.#deps.log.warn(`Validation: ${errorText(reason)}`);
  }
}

/** What the language features have found. */
function knownProblems(file: vscode.Uri): { code: string; line: number }[] {
  return vscode.languages
    .getDiagnostics(file)
    .filter(({ source }) => source === 'millrace')
    .map(({ code, range }) => ({
      code: String(typeof code === 'object' ? code.value : (code ?? '')),
      line: range.start.line,
    }));
}

function diagnosticOf({ severity, code, message, start, end }: Finding): vscode.Diagnostic {
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const { Error, Warning, Information, Hint } = vscode.DiagnosticSeverity;
  const severities = { error: Error, warning: Warning, information: Information, hint: Hint };
  const diagnostic = new vscode.Diagnostic(range, message, severities[severity]);
  diagnostic.source = 'millrace';
  diagnostic.code = code;
  return diagnostic;
}
