import type { Connection, ServerCapabilities } from 'vscode-languageserver';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import type { Documents } from './documents.js';
import type { Editor } from './editor.js';
import type { Knowledge } from './knowledge.js';
import type { Settings } from './settings.js';

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
