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
