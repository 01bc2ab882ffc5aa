/** A document to read. `name` and `mimeType` are what the sender said; they only break ties. */
export interface Source {
  bytes: Uint8Array<ArrayBuffer>;
  name: string;
  mimeType: string;
}

/** What somebody listens to; the rest is not worth the work. */
export interface Wanted {
  text: boolean;
  table: boolean;
  media: boolean;
}

/** A file found inside a document. */
export interface EmbeddedFile {
  name: string;
  /** `''` when the container does not say. */
  mimeType: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** What a document holds. */
export interface Extraction {
  text: string;
  /** Pipe-delimited rows, see tables.ts. */
  tables: string[];
  /** title, author, created, modified (ISO 8601), contentType and the like. */
  metadata: Record<string, unknown>;
  /** Pictures, sounds and films inside the document. */
  media: EmbeddedFile[];
  /** Files to be handled as objects of their own. */
  embedded: EmbeddedFile[];
  /** Reasons why something is missing, without the name of the document. */
  warnings: string[];
}

/** Why a document cannot be read, in words for the person who sent it. */
export class UnreadableError extends Error {
  constructor(
    message: string,
    readonly metadata: Record<string, unknown> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'UnreadableError';
  }
}

export function emptyExtraction(metadata: Record<string, unknown> = {}): Extraction {
  return { text: '', tables: [], metadata, media: [], embedded: [], warnings: [] };
}
