import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { llmDefinitions } from './definition.js';
import { llmProviders } from './providers.js';

describe.each(llmDefinitions.map((definition) => [definition.id, definition] as const))('%s', (id, definition) => {
  it('has profiles that its schema accepts', () => {
    const validate = new Ajv({ strict: true }).compile(definition.config);
    for (const profile of Object.values(definition.profiles ?? {})) expect(validate(profile)).toBe(true);
  });

  it('has a default profile and a provider that runs it', () => {
    expect(definition.profiles).toHaveProperty([definition.defaultProfile ?? '']);
    expect(llmProviders).toHaveProperty([id]);
  });

  it('refuses numbers and keys of the wrong type', () => {
    const validate = new Ajv().compile(definition.config);
    expect(validate({ modelTotalTokens: 'many' })).toBe(false);
    expect(validate({ model: 3 })).toBe(false);
  });
});
