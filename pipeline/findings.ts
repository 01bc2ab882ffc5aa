import type { Diagnostic } from '../protocol/results.js';
import { clip, type Path } from './values.js';

/** A hostile document may break a rule in every one of a million places; the answer stays readable. */
export const maxFindings = 1000;

/** Collects diagnostics up to `maxFindings`; one last diagnostic says that there are more. */
export class Findings {
  readonly diagnostics: Diagnostic[] = [];

  get full(): boolean {
    return this.diagnostics.length > maxFindings;
  }

  error(code: string, message: string, path: Path, component?: string): void {
    this.add('error', code, message, path, component);
  }

  warning(code: string, message: string, path: Path, component?: string): void {
    this.add('warning', code, message, path, component);
  }

  private add(severity: Diagnostic['severity'], code: string, message: string, path: Path, component?: string): void {
    if (this.full) return;
    if (this.diagnostics.length === maxFindings) {
      const more = `There are more problems; the first ${maxFindings} are listed`;
      this.diagnostics.push({ severity: 'error', code: 'too_many_problems', message: more, path: [] });
      return;
    }
    const named = component === undefined ? {} : { component: clip(component, 200) };
    this.diagnostics.push({ severity, code, message, ...named, path: [...path] });
  }
}
