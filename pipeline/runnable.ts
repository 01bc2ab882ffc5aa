import type { Diagnostic } from '../protocol/results.js';
import type { Catalogue, ControlNeed, Definition } from './catalogue.js';
import { Findings } from './findings.js';
import { findCycle, type Graph } from './graph.js';
import type { Lane, Pipeline, PipelineComponent } from './model.js';
import { Suggestions } from './nearest.js';
import { clip, quote, quoteList } from './values.js';

/** Lanes that providers can serve although their definition does not list them: accepted with a warning. */
const unlistedOutputs: Readonly<Record<string, readonly Lane[]>> = {
  ocr: ['documents'],
  audio_transcribe: ['documents'],
  search_exa: ['questions'],
  webhook: ['documents', 'answers', 'table', 'classifications', 'classificationContext'],
};

function listsUnlistedInput(provider: string, lane: string): boolean {
  return lane === 'table' && (provider.startsWith('db_') || provider === 'preprocessor_code');
}

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
    const receiver = this.catalogue.find(component.provider);
    (component.input ?? []).forEach((link, index) => {
      const sender = this.graph.components.get(link.from);
      if (sender === undefined) return;
      const path = this.pathOf(component.id, 'input', index, 'lane');
      const producer = this.catalogue.find(sender.provider);
      if (producer !== undefined) this.checkOutput(component, sender, producer, link.lane, path);
      if (receiver !== undefined) this.checkInput(component, receiver, link.lane, path);
    });
  }

  private checkOutput(
    component: PipelineComponent,
    sender: PipelineComponent,
    producer: Definition,
    lane: string,
    path: (string | number)[],
  ): void {
    const produced = new Set<string>(Object.values(producer.lanes).flat());
    if (produced.has(lane)) return;
    const from = `${quote(sender.id)} (${producer.title})`;
    if ((unlisted(producer.id) as readonly string[]).includes(lane)) {
      const message = `Component ${quote(component.id)}: ${from} sends ${quote(lane)} only in some cases`;
      this.findings.warning('lane_unlisted', message, path, component.id);
      return;
    }
    const offers = produced.size === 0 ? 'it sends nothing on' : `it sends ${quoteList([...produced])}`;
    const message = `Component ${quote(component.id)}: ${from} does not send ${quote(lane)}; ${offers}`;
    this.findings.error('lane_not_produced', message, path, component.id);
  }

  private checkInput(
    component: PipelineComponent,
    receiver: Definition,
    lane: string,
    path: (string | number)[],
  ): void {
    const accepted = Object.keys(receiver.lanes).filter((name) => name !== '_source');
    if (accepted.includes(lane)) return;
    const name = `Component ${quote(component.id)} (${receiver.title})`;
    if (listsUnlistedInput(receiver.id, lane)) {
      this.findings.warning('lane_unlisted', `${name} takes ${quote(lane)} only in some cases`, path, component.id);
      return;
    }
    const takes = accepted.length === 0 ? 'it takes no input' : `it takes ${quoteList(accepted)}`;
    this.findings.error('lane_not_accepted', `${name} does not take ${quote(lane)}; ${takes}`, path, component.id);
  }

  private checkControls(component: PipelineComponent): void {
    const definition = this.catalogue.find(component.provider);
    if (definition === undefined) return;
    const used = this.graph.controls.get(component.id);
    for (const [classType, need] of Object.entries(definition.control.takes)) {
      const all = used?.get(classType) ?? [];
      this.checkNeed(
        component,
        definition,
        classType,
        need,
        all.filter((id) => this.mayOffer(id, classType)),
      );
      for (const id of all) if (!this.mayOffer(id, classType)) this.warnNotOffered(id, component.id, classType);
    }
  }

  private checkNeed(
    component: PipelineComponent,
    definition: Definition,
    classType: string,
    need: ControlNeed,
    used: readonly string[],
  ): void {
    const name = `Component ${quote(component.id)} (${definition.title})`;
    const path = this.pathOf(component.id);
    if (used.length < need.min) {
      const link = JSON.stringify({ classType, from: clip(component.id) });
      const wanted = need.min === 1 ? `a component as its ${classType}` : `${need.min} components as its ${classType}`;
      const message = `${name} needs ${wanted}: add "control": [${link}] to the component it is to use`;
      this.findings.error('control_missing', message, path, component.id);
    }
    if (need.max !== undefined && used.length > need.max) {
      const message = `${name} takes at most ${need.max} as its ${classType}, but is given ${quoteList(used)}`;
      this.findings.error('control_too_many', message, path, component.id);
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

  private pathOf(id: string, ...rest: (string | number)[]): (string | number)[] {
    return ['components', this.indexes.get(id) ?? 0, ...rest];
  }
}

function unlisted(provider: string): readonly Lane[] {
  return Object.hasOwn(unlistedOutputs, provider) ? (unlistedOutputs[provider] ?? []) : [];
}
