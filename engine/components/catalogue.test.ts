import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { isLane } from '../../pipeline/model.js';
import { builtinComponents } from './builtin.js';
import { builtinCatalogue } from './catalogue.js';
import { plannedProviders } from './planned.js';

const definitions = builtinComponents.map(({ definition }) => definition);

describe('the built-in providers', () => {
  it.each(builtinComponents.map((entry) => [entry.definition.id, entry] as const))('%s loads', async (_id, entry) => {
    expect((await entry.load()).start).toBeTypeOf('function');
  });

  it('have names that are used once, planned ones and aliases included', () => {
    const names = [...definitions, ...plannedProviders].flatMap(({ id, aliases = [] }) => [id, ...aliases]);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('name lanes that exist', () => {
    for (const { id, lanes } of [...definitions, ...plannedProviders]) {
      for (const [input, outputs] of Object.entries(lanes)) {
        expect(
          [input, ...outputs].filter((lane) => lane !== '_source' && !isLane(lane)),
          id,
        ).toEqual([]);
      }
    }
  });

  it('have a default profile that exists, and profiles that fit the schema', () => {
    for (const { id, config, defaultProfile, profiles = {} } of definitions) {
      if (defaultProfile !== undefined) expect(Object.keys(profiles), id).toContain(defaultProfile);
      const properties = (config as { properties?: Record<string, object> }).properties ?? {};
      for (const [name, values] of Object.entries(profiles)) {
        const given = Object.keys(values).filter((key) => properties[key] !== undefined && values[key] !== '');
        const validate = new Ajv({ strict: false }).compile({ properties });
        expect(validate(Object.fromEntries(given.map((key) => [key, values[key]]))), `${id} ${name}`).toBe(true);
      }
    }
  });
});

describe('the catalogue', () => {
  const catalogue = builtinCatalogue();

  it('finds providers by id and by the other spellings of it', () => {
    expect(catalogue.find('anonymize')?.id).toBe('anonymize_text');
    expect(catalogue.find('local_text_output')?.id).toBe('local-text-output');
    expect(catalogue.find('nonsense')).toBeUndefined();
  });

  it('knows providers that do not run here and says what to do', () => {
    expect(catalogue.find('llm_openai')).toBeUndefined();
    expect(catalogue.planned('llm_openai')?.instead).toContain('llm_openai_api');
    expect(catalogue.planned('graph_neo4j')?.id).toBe('db_neo4j');
    expect(catalogue.planned('tool_tavily')?.instead).toContain('unknown to this release');
    for (const { id, instead } of plannedProviders) expect(instead, id).toMatch(/^[A-Z].{15,}\.$/);
  });

  it('is the one that is committed', async () => {
    const committed = JSON.parse(await readFile(new URL('../../pipeline/catalog.json', import.meta.url), 'utf8')) as {
      providers: { id: string }[];
      planned: { id: string }[];
    };
    expect(committed.providers.map(({ id }) => id).sort()).toEqual(definitions.map(({ id }) => id).sort());
    expect(committed.planned).toHaveLength(plannedProviders.length);
  });
});
