import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import expectations from '../../../examples/documents.json' with { type: 'json' };
import { runComponent, tagsOf } from '../testing.js';
import { component } from './component.js';
import { definition } from './definition.js';

interface Expectation {
  mimeType: string;
  text: string[];
  absent?: string[];
  tables: string[];
  metadata: Record<string, unknown>;
  /** Name inside the container → the example it holds. */
  children?: Record<string, string>;
  warning?: string;
}

const examples = expectations as unknown as Record<string, Expectation>;

function exampleBytes(name: string): Promise<Uint8Array> {
  return readFile(fileURLToPath(new URL(`../../../examples/documents/${name}`, import.meta.url)));
}

async function parse(name: string, bytes: Uint8Array) {
  return runComponent(component, definition, {}, tagsOf(bytes, 'application/octet-stream', 10_000), {
    object: { name },
  });
}

describe('the example documents', () => {
  it.each(Object.entries(examples))('%s gives its known text, tables and metadata', async (name, expected) => {
    const run = await parse(name, await exampleBytes(name));
    const text = run.emitted.text.join('');
    for (const phrase of expected.text) expect(text).toContain(phrase);
    for (const phrase of expected.absent ?? []) expect(text).not.toContain(phrase);
    if (expected.text.length === 0) expect(text).toBe('');
    expect(run.emitted.text.length).toBe(expected.text.length === 0 ? 0 : 1);
    expect(run.emitted.table).toEqual(expected.tables);
    expect(run.metadata).toMatchObject(expected.metadata);
    if (expected.warning === undefined) expect(run.warnings).toEqual([]);
    else expect(run.warnings).toEqual([expect.stringMatching(`^${name}: .*${expected.warning}`)]);
    if (name !== 'protected.docx') expect(run.metadata.contentType).toBe(expected.mimeType);

    expect(run.children.map((child) => child.name)).toEqual(Object.keys(expected.children ?? {}));
    for (const child of run.children) {
      const original = examples[expected.children?.[child.name] ?? ''];
      for (const phrase of original?.text ?? ['?']) expect(child.emitted.text.join('')).toContain(phrase);
      expect(child.emitted.table).toEqual(original?.tables);
      expect(child.metadata).toMatchObject(original?.metadata ?? {});
    }
  });

  it.each(Object.entries(examples).filter(([, { text }]) => text.length > 0))(
    '%s is recognised by what it contains, whatever it is called',
    async (name, expected) => {
      const bytes = await exampleBytes(name);
      const run = await parse('wrong-name.bin', bytes);
      expect(run.metadata.contentType).toBe(expected.mimeType);
      expect(run.emitted.table).toEqual(expected.tables);
    },
  );

  it('gives tables after all text', async () => {
    const run = await parse('minutes.docx', await exampleBytes('minutes.docx'));
    expect(run.order).toEqual(['text', 'table']);
  });

  it('gives only what somebody listens to', async () => {
    const bytes = await exampleBytes('minutes.docx');
    const run = await runComponent(component, definition, {}, tagsOf(bytes), { listens: ['table'] });
    expect(run.order).toEqual(['table']);
  });
});
