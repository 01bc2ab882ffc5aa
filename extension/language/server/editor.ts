import type { ClientCapabilities, WorkspaceFolder } from 'vscode-languageserver';

/** What the editor said of itself when it started the server. */
export interface Editor {
  readonly capabilities: ClientCapabilities;
  readonly folders: readonly WorkspaceFolder[];
  /** What it passes to this server alone, unchecked. */
  readonly options: Readonly<Record<string, unknown>>;
  /** When it may be asked for something. The connection itself would keep one listener only. */
  onInitialized(listener: () => void): void;
}
