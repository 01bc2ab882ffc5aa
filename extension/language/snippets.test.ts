import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinCatalogue } from '../../engine/components/catalogue.js';
import { resolveConfig } from '../../pipeline/config.js';
import { analyseText } from '../../pipeline/analysis.js';
import { isLane, type Pipeline, type PipelineComponent } from '../../pipeline/model.js';
import { validateStructure } from '../../pipeline/structure.js';

interface Snippet {
  prefix: string[];
  description: string;
  body: string[];
}

const file = path.join(import.meta.dirname, 'snippets.json');
const snippets = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Snippet>).map(
  ([name, snippet]) => ({ name, ...snippet }),
);
const catalogue = builtinCatalogue();

/** What is in the file when a person takes every proposal. */
function inserted({ body }: Snippet): string {
  const text = body.join('\n');
  const defaults = new Map([...text.matchAll(placeholder)].map(([, number, value]) => [number, value ?? '']));
  return text
    .replace(/\$UUID/g, '7d1a3a0e-5c55-4a0e-9a53-0b1f5b7c9e77')
    .replace(placeholder, (_whole, _number, value: string | undefined, choices: string | undefined) =>
      unescape(value ?? choices?.split(',')[0] ?? ''),
    )
    .replace(/(?<!\\)\$(\d+)/g, (_whole, number: string) => unescape(defaults.get(number) ?? ''));
}

const placeholder = /\$\{(\d+)(?::((?:\\.|[^\\}])*)|\|([^|]*)\|)\}/g;
const unescape = (text: string): string => text.replace(/\\(.)/g, '$1');

describe('the snippets', () => {
  it.each(snippets)('$name is JSON with placeholders numbered from 1', (snippet) => {
    const text = inserted(snippet);
    // A property on its own stands inside an object.
    expect(() => void JSON.parse(text.startsWith('"') ? `{${text}}` : text)).not.toThrow();
    const numbers = [...snippet.body.join('\n').matchAll(/(?<!\\)\$\{?(\d+)/g)].map(([, number]) => Number(number));
    const stops = [...new Set(numbers)].sort((a, b) => a - b);
    expect(stops).toEqual([...stops.keys()]);
    expect(snippet.description.length).toBeGreaterThan(10);
  });

  it.each(snippets.filter(({ body }) => body.join('').includes('"provider"') && body.join('').startsWith('{')))(
    '$name is what its provider takes',
    (snippet) => {
      const value = JSON.parse(inserted(snippet)) as PipelineComponent | Pipeline;
      if ('components' in value) {
        const pipeline = value as Pipeline;
        expect(validateStructure(pipeline, catalogue).diagnostics).toEqual([]);
        expect(analyseText(JSON.stringify(pipeline), { catalogue })).toEqual([]);
        return;
      }
      const { provider, config, input = [] } = value;
      const definition = catalogue.find(provider);
      if (definition === undefined) throw new Error(`${provider} does not run`);
      expect(resolveConfig(definition, config).warnings).toEqual([]);
      const accepted = Object.keys(definition.lanes);
      for (const { lane } of input) expect(accepted).toContain(lane);
      for (const lane of offeredLanes(snippet)) expect(accepted).toContain(lane);
    },
  );

  it('offers lanes that exist, and a name to type for every provider that runs', () => {
    for (const snippet of snippets) for (const lane of offeredLanes(snippet)) expect(isLane(lane)).toBe(true);
    const text = JSON.stringify(snippets);
    const without = catalogue
      .all()
      .map(({ id }) => id)
      .filter((id) => !text.includes(`\\"${id}\\"`) && !['response', 'response_audio', 'response_video'].includes(id));
    expect(without).toEqual([]);
  });
});

/** The choices of lanes, except those of the snippet for any component. */
function offeredLanes({ name, body }: Snippet & { name: string }): string[] {
  if (name === 'Component') return [];
  const choices = /"lane": "\$\{\d+\|([^|]*)\|\}"/.exec(body.join('\n'))?.[1];
  return choices?.split(',') ?? [];
}
