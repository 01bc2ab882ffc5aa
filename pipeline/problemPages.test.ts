import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyseText } from './analysis.js';
import { bundledCatalogue } from './bundledCatalogue.js';
import type { Catalogue, Definition } from './catalogue.js';
import { type RuleCode, rules } from './rules.js';

const folder = new URL('../docs/problems/', import.meta.url);
const pages = readdirSync(folder).filter((name) => name !== 'README.md');
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8').replaceAll('\r\n', '\n');

/** What no short text shows. */
const withoutExample = new Set([
  'file_too_large',
  'file_unreadable',
  'syntax_too_deep',
  'too_deep',
  'too_many_keys',
  'too_many_problems',
]);

/** A component of somebody's server. */
const agent: Definition = {
  id: 'agent_example',
  title: 'Example agent',
  description: '',
  classType: ['agent'],
  capabilities: [],
  lanes: { questions: ['answers'] },
  control: { takes: { llm: { min: 1, max: 1 }, tool: { min: 0 } }, offers: ['tool'] },
  config: {},
  defaultProfile: 'fast',
  profiles: { fast: {} },
  profileAliases: { old: 'fast' },
};
const bundle = bundledCatalogue();
const catalogue: Catalogue = { ...bundle, find: (id) => (id === agent.id ? agent : bundle.find(id)) };

/** The example below a heading. */
function exampleIn(page: string, heading: string): string {
  return new RegExp(`## ${heading}\\n[^\`]*\`\`\`json5\\n([^]*?)\\n\`\`\``).exec(page)?.[1] ?? '';
}

function codesIn(text: string): string[] {
  return analyseText(text, { catalogue, environment: new Set(['MILLRACE_LLM_KEY']) }).map(({ code }) => code);
}

describe('the pages about problems', () => {
  it('are one for each code, all of them in the index', () => {
    expect(pages.sort()).toEqual(
      Object.keys(rules)
        .map((code) => `${code}.md`)
        .sort(),
    );
    const index = textOf('README.md');
    const listed = [...index.matchAll(/\]\((\w+\.md)\)/g)].map(([, name]) => name);
    expect(listed.sort()).toEqual(pages.sort());
    for (const [code, { title }] of Object.entries(rules))
      expect(index).toMatch(new RegExp(`${code}\\.md\\) *\\| ${title}`));
  });

  it('show comments that hide what they say', () => {
    const example = /```json5\n([^]*?)\n```/.exec(textOf('README.md'))?.[1] ?? '';
    expect(codesIn(example.replaceAll('millrace-ignore-', ''))).toContain('unreachable');
    expect(codesIn(example)).toEqual([]);
  });

  it.each(Object.keys(rules) as RuleCode[])('%s shows how it comes about and how it is mended', (code) => {
    const page = textOf(`${code}.md`);
    expect(page).toContain(`# ${code}\n\n${rules[code].title}. `);
    expect(page).toMatch(/## What to do\n\n\S/);
    expect(page.includes('## Wrong')).toBe(!withoutExample.has(code));
    if (withoutExample.has(code)) return;
    expect(codesIn(exampleIn(page, 'Wrong'))).toContain(code);
    expect({ code, left: codesIn(exampleIn(page, 'Right')) }).toEqual({ code, left: [] });
  });
});
