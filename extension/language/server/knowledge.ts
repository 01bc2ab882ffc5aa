import type { Catalogue } from '../../../pipeline/catalogue.js';
import { servedCatalogue } from '../service/servedCatalogue.js';
import type { SurroundingFiles } from '../surroundingFiles.js';

/** What is known beyond the texts: the providers of the connected server, and the files around pipelines. */
export class Knowledge {
  readonly #bundle: Catalogue;
  readonly #listeners: (() => void)[] = [];
  #served: Catalogue | undefined;

  constructor(
    bundle: Catalogue,
    readonly files: SurroundingFiles,
  ) {
    this.#bundle = bundle;
  }

  /** When something is known differently. */
  onDidChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get catalogue(): Catalogue {
    return this.#served ?? this.#bundle;
  }

  /** Whether a provider is one of this version, whatever a server adds. */
  isOfBundle(id: string): boolean {
    return this.#bundle.find(id) !== undefined;
  }

  /** What the connected server says of its providers; anything else brings the bundle back. */
  setServices(services: unknown): void {
    this.#served = servedCatalogue(services, this.#bundle);
    this.changed();
  }

  /** Tells the listeners, because a file has changed. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
