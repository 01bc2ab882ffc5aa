import type { ClientCapabilities, Connection, ServerCapabilities, WorkspaceFolder } from 'vscode-languageserver';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import type { Documents } from './documents.js';
import type { Knowledge } from './knowledge.js';
import type { Settings } from './settings.js';

/** What the editor said of itself when it started the server. */
export interface Editor {
  readonly capabilities: ClientCapabilities;
  readonly folders: readonly WorkspaceFolder[];
  /** What it passes to this server alone, unchecked. */
  readonly options: Readonly<Record<string, unknown>>;
  /** When it may be asked for something. The connection itself would keep one listener only. */
  onInitialized(listener: () => void): void;
}

/** What a feature of the server works with. */
export interface Surroundings {
  readonly connection: Connection;
  readonly documents: Documents;
  readonly knowledge: Knowledge;
  readonly settings: Settings;
  /** The catalogue as it is known at this moment. */
  catalogue(): Catalogue;
}

/**
 * A part of the server: it sets its handlers when the editor introduces itself, and answers what it can do. Nothing may
 * be sent to the editor before `onInitialized`.
 */
export type Feature = (surroundings: Surroundings, editor: Editor) => ServerCapabilities;
