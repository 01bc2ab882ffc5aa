import type { Diagnostic } from '../protocol/results.js';
import type { Catalogue } from './catalogue.js';
import { resolveConfig } from './config.js';
import { Findings } from './findings.js';
import { buildGraph } from './graph.js';
import type { Pipeline } from './model.js';
import { checkRunnable } from './runnable.js';
import { quote } from './values.js';

/**
 * Ring 2: what is likely to be wrong in a pipeline of sound structure, all of it as warnings. For editors and `lint`;
 * never part of a validation result.
 */
export function checkDeep(pipeline: Pipeline, source: string, catalogue: Catalogue): Diagnostic[] {
  const graph = buildGraph(pipeline, source);
  const findings = new Findings();
  pipeline.components.forEach((component, index) => {
    const { id, provider, config } = component;
    const path = ['components', index];
    const name = `Component ${quote(id)}`;
    if (!graph.components.has(id)) {
      findings.warning('unreachable', `${name} does not run: nothing leads to it from ${quote(source)}`, path, id);
    }
    const definition = catalogue.find(provider);
    if (definition === undefined) return;
    try {
      for (const warning of resolveConfig(definition, config).warnings) {
        findings.warning('config_lenient', `${name}: ${warning}`, [...path, 'config'], id);
      }
    } catch (error) {
      findings.warning('profile_unknown', `${name}: ${(error as Error).message}`, [...path, 'config', 'profile'], id);
    }
  });
  const entry = graph.components.get(source);
  const served = entry !== undefined && ['webhook', 'chat', 'dropper'].includes(entry.provider);
  const answers = [...graph.components.values()].some(({ provider }) =>
    catalogue.find(provider)?.id.startsWith('response'),
  );
  if (served && !answers) {
    const message = `Nothing is returned to the caller: no response component is reached from ${quote(source)}`;
    const index = pipeline.components.findIndex(({ id }) => id === source);
    findings.warning('no_response', message, ['components', index], source);
  }
  const run = checkRunnable(pipeline, graph, catalogue).filter(({ code }) => code !== 'provider_unknown');
  return [...findings.diagnostics, ...run.map((diagnostic): Diagnostic => ({ ...diagnostic, severity: 'warning' }))];
}
