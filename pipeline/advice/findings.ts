import { maxFindings } from '../findings.js';
import type { AdviceCode } from '../rules.js';
import type { Range } from '../syntax/nodes.js';
import { clip, type Path } from '../values.js';

/** Where to look: a path from the pipeline on, or a range of the text. */
export type Place = { readonly path: Path; readonly at?: 'key' | 'value' } | { readonly range: Range };

export interface AdviceDetails {
  /** Id of the component concerned. */
  readonly component?: string | undefined;
  readonly related?: readonly (Place & { readonly message: string })[];
  readonly tags?: readonly ('unnecessary' | 'deprecated')[];
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface AdviceFinding extends AdviceDetails {
  readonly code: AdviceCode;
  readonly message: string;
  readonly place: Place;
}

/** Groups of rules that found nothing in a component. */
export interface Silence {
  names?: boolean;
  config?: boolean;
  texts?: boolean;
}

/** Collects what may be wrong, up to `maxFindings`: nobody reads more. */
export class Advice {
  readonly findings: AdviceFinding[];

  /** Goes on behind what was found before. */
  constructor(found: readonly AdviceFinding[] = []) {
    this.findings = [...found];
  }

  get full(): boolean {
    return this.findings.length >= maxFindings;
  }

  /** Looks at a component, unless these rules found nothing in it before. */
  look(group: keyof Silence, memory: Silence | undefined, check: () => void): void {
    if (memory?.[group] === true) return;
    const before = this.findings.length;
    check();
    if (memory !== undefined && !this.full) memory[group] = this.findings.length === before;
  }

  add(code: AdviceCode, message: string, place: Place, { component, ...details }: AdviceDetails = {}): void {
    if (this.full) return;
    const named = component === undefined ? {} : { component: clip(component, 200) };
    this.findings.push({ code, message, place, ...details, ...named });
  }
}
