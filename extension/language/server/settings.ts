import { type Connection, DidChangeConfigurationNotification } from 'vscode-languageserver';
import { readSeverities, type Severity } from '../../../pipeline/rules.js';
import { isRecord } from '../../../pipeline/values.js';
import type { Editor } from './editor.js';

export type Severities = Readonly<Record<string, Severity | 'off'>>;

const section = 'millrace.diagnostics';

/**
 * The settings of the editor: code → severity. Asked for each file once, and again when they change; an editor that
 * cannot be asked gives them in `initializationOptions.diagnostics.severity`, or sends them when they change.
 */
export class Settings {
  readonly #connection: Connection;
  readonly #loaded = new Map<string, Severities>();
  readonly #listeners: (() => void)[] = [];
  #given: Severities = {};
  #canAsk = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** To be called when the editor introduces itself. */
  begin({ capabilities: { workspace }, options, onInitialized }: Editor): void {
    this.#given = severitiesIn(options.diagnostics);
    this.#canAsk = workspace?.configuration === true;
    const canRegister = workspace?.didChangeConfiguration?.dynamicRegistration === true;
    onInitialized(() => {
      if (canRegister) void this.#connection.client.register(DidChangeConfigurationNotification.type, { section });
    });
    this.#connection.onDidChangeConfiguration(({ settings }: { settings: unknown }) => {
      if (!this.#canAsk) this.#given = severitiesIn(memberOf(memberOf(settings, 'millrace'), 'diagnostics'));
      this.#loaded.clear();
      for (const listener of this.#listeners) listener();
    });
  }

  /** When they are different for some file. */
  onDidChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** As they are known: after `load` those of the file. */
  severities(uri: string): Severities {
    return this.#loaded.get(uri) ?? this.#given;
  }

  /** Asks the editor where that has not been done. Never fails: without an answer nothing is changed. */
  async load(uri: string): Promise<void> {
    if (!this.#canAsk || this.#loaded.has(uri)) return;
    const answer: unknown = await this.#connection.workspace
      .getConfiguration({ scopeUri: uri, section })
      .catch(() => undefined);
    this.#loaded.set(uri, severitiesIn(answer));
  }

  forget(uri: string): void {
    this.#loaded.delete(uri);
  }
}

function severitiesIn(diagnostics: unknown): Severities {
  return readSeverities(memberOf(diagnostics, 'severity'));
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}
