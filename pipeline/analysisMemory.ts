import type { Silence } from './advice/findings.js';
import type { Together } from './advice/together.js';
import type { Catalogue } from './catalogue.js';
import type { PipelineComponent } from './model.js';
import type { Outline } from './outline.js';
import type { SyntaxNode } from './syntax/nodes.js';

/** What is known of the value of a component. */
export interface ComponentMemory extends Silence {
  /** Its sound form, when the structural rules found nothing in it. */
  sound?: PipelineComponent;
  /** The ids among which that was so. */
  ids?: Outline['ids'] | undefined;
  /** How many levels were around it when it was found to be plain JSON. */
  jsonLevels?: number;
}

/**
 * What the analysis of one version of a text leaves for the next: the values of the components, and what gave nothing to
 * say about them. As long as a component, the catalogue and the environment are the same, it need not be looked at
 * again. One for each document.
 */
export class AnalysisMemory {
  /** Values of the elements of lists that are in no other list: the components. */
  readonly values = new WeakMap<SyntaxNode, unknown>();
  /** What the components saw of each other the last time, and what there was to say about it. */
  outline: Outline | undefined;
  together: Together | undefined;
  /** Of this run and of the one before. A weak map makes a full run a tenth longer, by the collection of garbage. */
  #components = new Map<object, ComponentMemory>();
  #before: ReadonlyMap<object, ComponentMemory> = new Map();
  #catalogue: Catalogue | undefined;
  #environment: ReadonlySet<string> | undefined;

  /** Begins a run. Forgets what was learnt with other knowledge, and the components that were gone in the last run. */
  begin(catalogue: Catalogue, environment: ReadonlySet<string> | undefined): void {
    this.#before = this.#components;
    this.#components = new Map();
    if (catalogue === this.#catalogue && isSameSet(environment, this.#environment)) return;
    this.#before = new Map();
    this.together = undefined;
    this.#catalogue = catalogue;
    this.#environment = environment;
  }

  find(component: object): ComponentMemory | undefined {
    return this.#components.get(component) ?? this.#before.get(component);
  }

  /** The same object for the same value. */
  of(component: object): ComponentMemory {
    const known = this.#components.get(component);
    if (known !== undefined) return known;
    const memory = this.#before.get(component) ?? {};
    this.#components.set(component, memory);
    return memory;
  }
}

function isSameSet(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  if (a === undefined || b === undefined || a === b) return a === b;
  return a.size === b.size && [...a].every((each) => b.has(each));
}
