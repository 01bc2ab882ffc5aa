import { type Definition, makeCatalogue, type PlannedProvider } from './catalogue.js';
import type { InputLink, Pipeline, PipelineComponent } from './model.js';

/** A small catalogue for the tests of this folder. */

function definition(id: string, rest: Partial<Definition>): Definition {
  return {
    id,
    title: id,
    description: '',
    classType: [],
    capabilities: [],
    lanes: {},
    control: { takes: {}, offers: [] },
    config: {},
    ...rest,
  };
}

export const llm = definition('llm_gemini', {
  title: 'Gemini',
  lanes: { questions: ['answers'] },
  control: { takes: {}, offers: ['llm'] },
  defaultProfile: 'gemini-2_5-pro',
  profiles: {
    'gemini-2_5-pro': { model: 'pro', tokens: 1000, options: { safe: true, level: 1 }, stop: ['a', 'b'] },
    flash: { model: 'flash', tokens: 10, mode: 'fast' },
  },
  profileAliases: { gemini: 'flash' },
});

const definitions: Definition[] = [
  definition('webhook', {
    title: 'Web hook',
    classType: ['source'],
    lanes: { _source: ['tags', 'text', 'questions'] },
  }),
  definition('chat', { title: 'Chat', classType: ['source'], lanes: { _source: ['questions'] } }),
  definition('parse', { title: 'Parser', lanes: { tags: ['text', 'table'] } }),
  definition('response_text', { title: 'Return text', lanes: { text: [] }, aliases: ['text_response'] }),
  definition('response_answers', { title: 'Return answers', lanes: { answers: [] } }),
  definition('response_documents', { title: 'Return documents', lanes: { documents: [] } }),
  definition('upper', { title: 'Upper case', lanes: { text: ['text'] } }),
  definition('db_postgres', {
    title: 'PostgreSQL',
    lanes: { answers: [], questions: ['table'] },
    control: { takes: {}, offers: ['tool'] },
  }),
  definition('memory_internal', { title: 'Memory', control: { takes: {}, offers: ['memory'] } }),
  definition('agent', {
    title: 'Agent',
    lanes: { questions: ['answers'] },
    control: { takes: { llm: { min: 1, max: 1 }, memory: { min: 0 }, tool: { min: 0 } }, offers: ['tool'] },
  }),
  definition('tool_pipe', {
    title: 'Pipe as tool',
    lanes: { _source: ['text'] },
    control: { takes: {}, offers: ['tool'] },
  }),
  llm,
];

const planned: PlannedProvider[] = [
  { id: 'neo4j', title: 'Neo4j', classType: ['database'], lanes: {}, instead: 'Use db_postgres instead.' },
];

export const catalogue = makeCatalogue(definitions, planned);

export function component(id: string, provider: string, rest: Partial<PipelineComponent> = {}): PipelineComponent {
  return { id, provider, config: {}, ...rest };
}

/** `links('parse_1.text', …)` as input links. */
export function links(...texts: string[]): InputLink[] {
  return texts.map((text) => {
    const [from = '', lane = ''] = text.split('.');
    return { from, lane };
  });
}

export function pipeline(...components: PipelineComponent[]): Pipeline {
  return { components };
}
