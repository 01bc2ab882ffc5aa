import type { Disposable, Event, Uri } from 'vscode';
import type { PipelineFileFacts, ShownPipeline } from './pipelineItems.js';

/** What the view needs of the pipeline files of the window. */
export interface PipelineSource {
  readonly files: readonly { readonly uri: Uri }[];
  /** Files came or went, or the content of one changed, then with its address. */
  readonly onDidChange: Event<Uri | undefined>;
  /** Never rejects. */
  facts(file: Uri): Promise<PipelineFileFacts>;
}

/** Files that are read at once. */
const parallel = 8;

/** The pipeline files with what they say, as far as they have been read. Reading begins when somebody looks. */
export class PipelineReadings implements Disposable {
  readonly #source: PipelineSource;
  readonly #onChange: () => void;
  readonly #listener: Disposable;
  readonly #facts = new Map<string, PipelineFileFacts>();
  /** Files to be read, in the order they are listed. */
  readonly #unread = new Map<string, Uri>();
  #readers = 0;
  #begun = false;
  #disposed = false;

  constructor(source: PipelineSource, onChange: () => void) {
    this.#source = source;
    this.#onChange = onChange;
    this.#listener = source.onDidChange((changed) => {
      if (this.#begun) this.#read(changed === undefined ? source.files.map(({ uri }) => uri) : [changed]);
      onChange();
    });
  }

  get pipelines(): readonly ShownPipeline[] {
    const { files } = this.#source;
    if (!this.#begun) {
      this.#begun = true;
      this.#read(files.map(({ uri }) => uri));
    }
    return files.map(({ uri }) => {
      const facts = this.#facts.get(uri.toString());
      return facts === undefined ? { uri } : { uri, facts };
    });
  }

  dispose(): void {
    this.#disposed = true;
    this.#listener.dispose();
  }

  #read(files: readonly Uri[]): void {
    for (const uri of files) this.#unread.set(uri.toString(), uri);
    while (this.#readers < Math.min(parallel, this.#unread.size)) {
      this.#readers += 1;
      void this.#readAll();
    }
  }

  async #readAll(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const facts = await this.#source.facts(next);
      if (this.#disposed) return;
      this.#facts.set(next.toString(), facts);
      this.#onChange();
    }
    this.#readers -= 1;
    // Files that are gone are forgotten when everything has been read.
    const listed = new Set(this.#source.files.map(({ uri }) => uri.toString()));
    for (const key of this.#facts.keys()) if (!listed.has(key)) this.#facts.delete(key);
  }

  #next(): Uri | undefined {
    const [first] = this.#unread;
    if (first === undefined || this.#disposed) return undefined;
    this.#unread.delete(first[0]);
    return first[1];
  }
}
