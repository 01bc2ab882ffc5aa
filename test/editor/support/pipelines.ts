import path from 'node:path';

/** Returns the text it is sent. */
export const echo = pipeline('echo', [{ id: 'in', provider: 'webhook', config: { mode: 'Source' } }, textFrom('in')]);

/** Reads a document and masks personal data in its text. */
export const anonymize = pipeline('anonymize', [
  { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
  { id: 'parse', provider: 'parse', config: {}, input: [{ from: 'in', lane: 'tags' }] },
  { id: 'mask', provider: 'anonymize_text', config: {}, input: [{ from: 'parse', lane: 'text' }] },
  textFrom('mask'),
]);

/** Does what the text says; needs the components of `componentsFolder`. */
export const obeying = pipeline('obey', [
  { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
  { id: 'obey', provider: 'obey', config: {}, input: [{ from: 'in', lane: 'text' }] },
  textFrom('obey'),
]);
export const componentsFolder = path.resolve(import.meta.dirname, '..', '..', 'support', 'components');

/** Answers questions with a model behind an address. */
export const chatWith = (baseUrl: string) =>
  pipeline('chat', [
    { id: 'in', provider: 'chat', config: { mode: 'Source' } },
    {
      id: 'model',
      provider: 'llm_openai_api',
      config: { profile: 'custom', custom: { base_url: baseUrl, model: 'scripted', apikey: 'none' } },
      input: [{ from: 'in', lane: 'questions' }],
    },
    { id: 'out', provider: 'response_answers', config: {}, input: [{ from: 'model', lane: 'answers' }] },
  ]);

/** One of its components is of a kind that no server knows. */
export const unknownProvider = pipeline('unknown', [
  { id: 'in', provider: 'webhook', config: {} },
  { id: 'odd', provider: 'no_such_thing', config: {}, input: [{ from: 'in', lane: 'text' }] },
]);

function textFrom(from: string) {
  return { id: 'out', provider: 'response_text', config: {}, input: [{ from, lane: 'text' }] };
}

function pipeline(name: string, components: readonly object[]): string {
  // The ids differ, because a server runs a project once.
  const id = `00000000-0000-4000-8000-${Buffer.from(name.padEnd(6).slice(0, 6)).toString('hex')}`;
  return `${JSON.stringify({ name, project_id: id, source: 'in', components }, undefined, 2)}\n`;
}
