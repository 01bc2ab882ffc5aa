import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyseText } from './analysis.js';
import { bundledCatalogue } from './bundledCatalogue.js';

describe('the catalogue of this version', () => {
  it('finds nothing wrong with the example pipelines', () => {
    const examples = new URL('../examples/pipelines/', import.meta.url);
    for (const name of readdirSync(examples)) {
      const diagnostics = analyseText(readFileSync(new URL(name, examples), 'utf8'), { catalogue: bundledCatalogue() });
      expect({ name, diagnostics }).toEqual({ name, diagnostics: [] });
    }
  });
});
