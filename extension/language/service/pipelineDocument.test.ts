import fc from 'fast-check';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { catalogue } from '../../../pipeline/fixtures.js';
import { diagnose } from './diagnostics.js';
import { PipelineDocument } from './pipelineDocument.js';

const examples = new URL('../../../examples/pipelines/', import.meta.url);
const texts = readdirSync(examples).map((name) => readFileSync(new URL(name, examples), 'utf8'));
const uri = 'file:///a.pipe';

/** What a document says of itself and what is said about it. */
const shown = (document: PipelineDocument): unknown => ({
  text: document.text,
  source: document.source,
  components: document.components,
  found: diagnose(document, catalogue),
});

describe('a document that is edited', () => {
  const place = fc.record({ line: fc.nat(60), character: fc.oneof(fc.nat(80), fc.constant(2 ** 31 - 1)) });
  const piece = fc.oneof(
    fc.string({ maxLength: 3 }),
    fc.constantFrom('{', '}', '[', ']', '"', "'", ',', ':', '\n', '\r\n', '"id": "in",', '{ "id": "b" },', '// x\n'),
  );
  const change = fc.oneof(
    { weight: 8, arbitrary: fc.record({ at: place, length: fc.nat(3), text: piece }) },
    { weight: 1, arbitrary: fc.record({ at: place, length: fc.nat(400), text: fc.constant('') }) },
  );

  it('is the document of the new text, with the same problems, whatever was changed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.array(fc.array(change, { maxLength: 3 }), { maxLength: 12 }),
        (text, all) => {
          let document = new PipelineDocument(uri, text);
          const editor = TextDocument.create(uri, 'millrace', 1, text);
          for (const [version, changes] of all.entries()) {
            const sent = changes.map(({ at, length, text: put }) => {
              const end = editor.positionAt(editor.offsetAt(at) + length);
              const change = { range: { start: at, end }, text: put };
              TextDocument.update(editor, [change], version);
              return change;
            });
            document = document.edited(sent);
            expect(document.text).toBe(editor.getText());
            expect(shown(document)).toEqual(shown(new PipelineDocument(uri, document.text)));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is read anew when the whole text is given', () => {
    const document = new PipelineDocument(uri, texts[0] ?? '').edited([{ text: '{ components: [{ id: "a" }] }' }]);
    expect(document.components.map(({ id }) => id?.value)).toEqual(['a']);
  });
});
