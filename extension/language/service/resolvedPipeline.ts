import type { Catalogue } from '../../../pipeline/catalogue.js';
import { resolveConfig } from '../../../pipeline/config.js';
import { isSecretKey } from '../../../pipeline/advice/secrets.js';
import { findSource } from '../../../pipeline/source.js';
import { valueOf } from '../../../pipeline/syntax/navigation.js';
import { isRecord } from '../../../pipeline/values.js';
import { type Environment, masked } from './environment.js';
import { downstream } from './facts.js';
import type { PipelineDocument } from './pipelineDocument.js';
import { withVariables } from './settings.js';

/**
 * The pipeline as it would run, as JSON with comments: profiles merged, variables put in but masked, the source named.
 * Of a text that is not finished, what is there.
 */
export function resolvedPipeline(document: PipelineDocument, catalogue: Catalogue, environment: Environment): string {
  const given = valueOf(document.pipeline);
  const pipeline = isRecord(given) ? given : {};
  const choice = findSource(pipeline);
  const notes = ['The pipeline as it would run: profiles are merged, variables are put in and masked.'];
  if (choice.kind === 'ambiguous')
    notes.push(`Several components could be the source: ${choice.candidates.join(', ')}.`);
  if (choice.kind === 'unknown') notes.push(`The source "${choice.id}" does not exist.`);
  if (choice.kind === 'missing') notes.push('It has no source.');
  if (document.tree.problems.length > 0) notes.push('The text has errors; this is what can be read of it.');
  const components = Array.isArray(pipeline.components) ? pipeline.components.filter(isRecord) : [];
  const reached = choice.kind === 'found' ? used(document, choice.id) : undefined;
  const idle = components.flatMap(({ id }) => (typeof id === 'string' && reached?.has(id) === false ? [id] : []));
  if (idle.length > 0) notes.push(`These do not run, as nothing leads to them: ${idle.join(', ')}.`);
  const running = components.filter(({ id }) => typeof id !== 'string' || !idle.includes(id));
  const whole = {
    ...pipeline,
    ...(choice.kind === 'found' ? { source: choice.id } : {}),
    components: running.map((component) => ({ ...component, config: configOf(component, catalogue) })),
  };
  const text = JSON.stringify(hidden(withVariables(whole, environment)), undefined, 2);
  return `${notes.map((note) => `// ${note}`).join('\n')}\n${text}\n`;
}

function configOf({ provider, config }: Record<string, unknown>, catalogue: Catalogue): unknown {
  const definition = typeof provider === 'string' ? catalogue.find(provider) : undefined;
  if (definition === undefined || !isRecord(config)) return config ?? {};
  try {
    const resolved = resolveConfig(definition, config).config;
    const properties = isRecord(definition.config.properties) ? definition.config.properties : {};
    const secret = Object.keys(properties).filter((name) => {
      const schema = properties[name];
      return isRecord(schema) && schema.writeOnly === true;
    });
    return Object.fromEntries(
      Object.entries(resolved).map(([name, value]) => [name, secret.includes(name) ? secretValue(value) : value]),
    );
  } catch {
    return config;
  }
}

/** Secrets that stand in the text, too: the page may be shown to others. */
function hidden(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => hidden(item, key));
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hidden(item, name)]));
  return isSecretKey(key) ? secretValue(value) : value;
}

function secretValue(value: unknown): unknown {
  return typeof value === 'string' && value !== '' && !value.includes('${') && !value.includes('•••')
    ? masked(value)
    : value;
}

/** What data reaches, and what is used by any of it. */
function used(document: PipelineDocument, source: string): Set<string> {
  const reached = downstream(document, source);
  for (const id of reached) {
    for (const component of document.components) {
      const serves = component.links.some(({ kind, from }) => kind === 'control' && from?.value === id);
      if (serves && component.id !== undefined)
        for (const each of downstream(document, component.id.value)) reached.add(each);
    }
  }
  return reached;
}
