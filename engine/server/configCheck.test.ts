import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSchema } from '../../pipeline/schema.js';
import { builtinCatalogue } from '../components/catalogue.js';
import { ConfigCheck } from './configCheck.js';

describe('the check of a configuration', () => {
  it('refuses exactly what the editor warns of', () => {
    const { check } = new ConfigCheck();
    const value = fc.jsonValue({ maxDepth: 2 });
    // Null stands for absent in pipelines, and of variables the editor says nothing.
    const isPlain = (given: unknown): boolean => !/null|\$\{/.test(JSON.stringify(given));
    for (const definition of builtinCatalogue().all()) {
      const keys = Object.keys((definition.config.properties as object | undefined) ?? {});
      const config = fc.dictionary(fc.constantFrom('other', ...keys), value, { maxKeys: 4 }).filter(isPlain);
      fc.assert(
        fc.property(config, (given) => {
          const warned = checkSchema(definition.config, given).some(({ kind }) => kind !== 'unknown');
          expect({ given, refused: check(definition, given).length > 0 }).toEqual({ given, refused: warned });
        }),
        { numRuns: 60 },
      );
    }
  });
});
