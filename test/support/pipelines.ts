/** webhook → response: texts come back as they are. */
export const echo = {
  project_id: 'echo-project',
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'out', provider: 'response', config: { lanes: [] }, input: [{ from: 'in', lane: 'text' }] },
  ],
};

/** webhook → hash → nothing else: takes any bytes and counts them. */
export const swallow = {
  project_id: 'swallow-project',
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'hash', provider: 'hash', config: {}, input: [{ from: 'in', lane: 'tags' }] },
    { id: 'out', provider: 'response', config: { lanes: [] }, input: [{ from: 'in', lane: 'text' }] },
  ],
};

/** chat → model → answers, with a model of an OpenAI-compatible server. */
export function chatWith(baseUrl: string) {
  const model = { base_url: baseUrl, model: 'scripted', apikey: 'none' };
  return {
    project_id: 'chat-project',
    source: 'chat',
    components: [
      { id: 'chat', provider: 'chat', config: { mode: 'Source' } },
      {
        id: 'model',
        provider: 'llm_openai_api',
        config: { profile: 'custom', custom: model },
        input: [{ from: 'chat', lane: 'questions' }],
      },
      { id: 'answers', provider: 'response_answers', config: {}, input: [{ from: 'model', lane: 'answers' }] },
    ],
  };
}

/** webhook → obey → response: does what the text says. Needs a server with the components of `componentsFolder`. */
export const obeying = {
  project_id: 'obey-project',
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'obey', provider: 'obey', config: {}, input: [{ from: 'in', lane: 'text' }] },
    { id: 'out', provider: 'response_text', config: {}, input: [{ from: 'obey', lane: 'text' }] },
  ],
};
