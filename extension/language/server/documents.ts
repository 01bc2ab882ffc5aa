import { type Connection, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { largestText } from '../../../pipeline/analysis.js';
import { keyOf } from '../addresses.js';
import { type DocumentChange, PipelineDocument } from '../service/pipelineDocument.js';
import { isSurrounding } from '../surroundingFiles.js';

interface Reading {
  readonly version: number;
  readonly document: PipelineDocument;
  /** What was changed since. */
  readonly changes: DocumentChange[];
}

/**
 * The texts that are open in the editor: pipelines, and files around them (surroundingFiles.ts). Each version of a
 * pipeline is read once, when somebody asks for it first.
 */
export class Documents {
  readonly #texts = new TextDocuments<TextDocument>({
    create: (...open) => TextDocument.create(...open),
    update: (text, changes, version) => {
      this.#read.get(text.uri)?.changes.push(...changes);
      return TextDocument.update(text, changes, version);
    },
  });
  readonly #read = new Map<string, Reading>();

  /** Follows the editor from now on. The notifications of a text come after those of the connection's other handlers. */
  listen(connection: Connection): void {
    this.#texts.onDidClose(({ document: { uri } }) => this.#read.delete(uri));
    this.#texts.listen(connection);
  }

  /** When a pipeline was opened or changed. */
  onDidChange(listener: (uri: string) => void): void {
    this.#texts.onDidChangeContent(({ document: { uri } }) => {
      if (!isSurrounding(uri)) listener(uri);
    });
  }

  onDidClose(listener: (uri: string) => void): void {
    this.#texts.onDidClose(({ document: { uri } }) => {
      if (!isSurrounding(uri)) listener(uri);
    });
  }

  /** When a file that is no pipeline was opened, changed or closed. */
  onDidChangeSurroundings(listener: () => void): void {
    for (const event of [this.#texts.onDidChangeContent, this.#texts.onDidClose])
      event(({ document: { uri } }) => {
        if (isSurrounding(uri)) listener();
      });
  }

  /** The text of such a file, if it is open. */
  surroundingText(uri: string): string | undefined {
    const key = keyOf(uri);
    const open = this.#texts.all().find((text) => isSurrounding(text.uri) && keyOf(text.uri) === key);
    return open?.getText();
  }

  /** The addresses of the pipelines that are open. */
  get open(): readonly string[] {
    return this.#texts.keys().filter((uri) => !isSurrounding(uri));
  }

  /** The text as it is in the editor, whatever its size; undefined when it is not open. */
  text(uri: string): TextDocument | undefined {
    return this.#texts.get(uri);
  }

  /** Undefined for what is not open, no pipeline, or too large. */
  get(uri: string): PipelineDocument | undefined {
    const text = this.#texts.get(uri);
    if (text === undefined || isSurrounding(uri)) return undefined;
    const known = this.#read.get(uri);
    if (known?.version === text.version) return known.document;
    const content = text.getText();
    if (content.length > largestText) {
      this.#read.delete(uri);
      return undefined;
    }
    const document = known?.document.edited(known.changes) ?? new PipelineDocument(uri, content);
    this.#read.set(uri, { version: text.version, document, changes: [] });
    return document;
  }

  /** What `answer` says about a document; null, which editors take as "nothing", when it cannot be read. */
  at<T>({ uri }: { uri: string }, answer: (document: PipelineDocument) => T | undefined): T | null {
    const document = this.get(uri);
    return document === undefined ? null : (answer(document) ?? null);
  }
}
