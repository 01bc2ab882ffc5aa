import type { Diagnostic } from '../protocol/results.js';
import type { Catalogue } from './catalogue.js';
import { Findings } from './findings.js';
import { findCycle, type Graph } from './graph.js';
import { inputProblem, type LaneProblem, needProblem, type NeedProblem, outputProblem } from './joining.js';
import type { Pipeline, PipelineComponent } from './model.js';
import { Suggestions } from './nearest.js';
import { clip, quote } from './values.js';

/**
 * Ring 3: why a graph cannot run. Only components that are reached count. Errors refuse the start; warnings say what
 * may not work as written.
 */
export function checkRunnable(pipeline: Pipeline, graph: Graph, catalogue: Catalogue): Diagnostic[] {
  return new RunRules(pipeline, graph, catalogue).check();
}

class RunRules {
  private readonly findings = new Findings();
  private readonly suggestions = new Suggestions();
  private readonly indexes = new Map<string, number>();

  constructor(
    pipeline: Pipeline,
    private readonly graph: Graph,
    private readonly catalogue: Catalogue,
  ) {
    pipeline.components.forEach(({ id }, index) => {
      if (!this.indexes.has(id)) this.indexes.set(id, index);
    });
  }

  check(): Diagnostic[] {
    for (const component of this.graph.components.values()) {
      this.checkProvider(component);
      this.checkInputs(component);
      this.checkControls(component);
    }
    this.checkCycle();
    return this.findings.diagnostics;
  }

  private checkProvider({ id, provider }: PipelineComponent): void {
    if (this.catalogue.find(provider) !== undefined) return;
    const path = this.pathOf(id, 'provider');
    const planned = this.catalogue.planned(provider);
    if (planned === undefined) {
      const hint = this.suggestions.of(provider, 'provider', () => this.catalogue.ids());
      const message = `Component ${quote(id)}: unknown provider ${quote(provider)}${hint}`;
      this.findings.error('provider_unknown', message, path, id);
    } else {
      const message = `Component ${quote(id)}: provider ${quote(provider)} (${planned.title}) is not part of this release. ${planned.instead}`;
      this.findings.error('provider_planned', message, path, id);
    }
  }

  private checkInputs(component: PipelineComponent): void {
    const { id } = component;
    const receiver = this.catalogue.find(component.provider);
    (component.input ?? []).forEach(({ from, lane }, index) => {
      const sender = this.graph.components.get(from);
      if (sender === undefined) return;
      const path = this.pathOf(id, 'input', index, 'lane');
      const producer = this.catalogue.find(sender.provider);
      if (producer !== undefined) this.note(outputProblem(id, { id: from, definition: producer }, lane), path, id);
      if (receiver !== undefined) this.note(inputProblem({ id, definition: receiver }, lane), path, id);
    });
  }

  private checkControls(component: PipelineComponent): void {
    const definition = this.catalogue.find(component.provider);
    if (definition === undefined) return;
    const used = this.graph.controls.get(component.id);
    for (const [classType, need] of Object.entries(definition.control.takes)) {
      const all = used?.get(classType) ?? [];
      const offered = all.filter((id) => this.mayOffer(id, classType));
      const problem = needProblem({ id: component.id, definition }, classType, need, offered);
      this.note(problem, this.pathOf(component.id), component.id);
      for (const id of all) if (!this.mayOffer(id, classType)) this.warnNotOffered(id, component.id, classType);
    }
  }

  /** A provider that is not known has an error of its own. */
  private mayOffer(id: string, classType: string): boolean {
    const definition = this.catalogue.find(this.graph.components.get(id)?.provider ?? '');
    return definition === undefined || definition.control.offers.includes(classType);
  }

  private warnNotOffered(id: string, controller: string, classType: string): void {
    const message = `Component ${quote(id)} cannot serve ${quote(controller)} as its ${classType}; the control link is ignored`;
    this.findings.warning('control_not_offered', message, this.pathOf(id, 'control'), id);
  }

  private checkCycle(): void {
    const cycle = findCycle(this.graph);
    if (cycle === undefined) return;
    const [first = ''] = cycle;
    const shown = cycle.length <= 20 ? cycle : [...cycle.slice(0, 10), '…', ...cycle.slice(-9)];
    const message = `The components form a cycle: ${shown.map((id) => clip(id)).join(' → ')}. Remove one of these input links`;
    this.findings.error('cycle', message, this.pathOf(first, 'input'), first);
  }

  private note(problem: LaneProblem | NeedProblem | undefined, path: (string | number)[], id: string): void {
    if (problem === undefined) return;
    const { code, message } = problem;
    if (code === 'lane_unlisted') this.findings.warning(code, message, path, id);
    else this.findings.error(code, message, path, id);
  }

  private pathOf(id: string, ...rest: (string | number)[]): (string | number)[] {
    return ['components', this.indexes.get(id) ?? 0, ...rest];
  }
}
