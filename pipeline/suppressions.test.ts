import { describe, expect, it } from 'vitest';
import { analyseText } from './analysis.js';
import { bundledCatalogue } from './bundledCatalogue.js';

const catalogue = bundledCatalogue();
const found = (text: string): string[] =>
  analyseText(text, { catalogue }).map(({ code, range }) => `${code} ${text.slice(range.start, range.end)}`);

const pipeline = (...lines: string[]): string => `{
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'out', provider: 'response', config: {}, input: [{ from: 'in', lane: 'text' }] },
${lines.join('\n')}
  ],
}`;
const lost = `{ id: 'lost', provider: 'hash', config: {} },`;

describe('a comment hides', () => {
  it.each([
    ['the next line', pipeline('// millrace-ignore-next-line unreachable', lost)],
    [
      'the next line with something on it',
      pipeline('/* millrace-ignore-next-line unreachable */', '', '// Later.', lost),
    ],
    ['its own line', pipeline(`${lost} // millrace-ignore-line unreachable`)],
    [
      'the whole file',
      `// millrace-ignore-file unreachable -- they come later\n${pipeline(lost, lost.replace('lost', 'l2'))}`,
    ],
    [
      'several codes',
      pipeline(
        '// millrace-ignore-next-line unreachable, config_key_unknown secret_in_clear: as a test',
        `{ id: 'lost', provider: 'hash', config: { a: 'sk-abcdefghijklmnopqrstuvwx' } },`,
      ).replace(': as a test', ''),
    ],
  ])('%s', (_, text) => expect(found(text)).toEqual([]));

  it('nothing else', () => {
    expect(found(pipeline('// millrace-ignore-next-line unreachable', lost, lost.replace('lost', 'l2')))).toEqual([
      `unreachable 'l2'`,
    ]);
    expect(found(pipeline('// millrace-ignore-next-lines unreachable', lost))).toEqual([`unreachable 'lost'`]);
    expect(found(pipeline(lost.replace('lost', 'millrace-ignore-line unreachable')))).toHaveLength(1);
  });

  it('no error', () => {
    const text = pipeline('// millrace-ignore-next-line provider_unknown', lost.replace('hash', 'hsh'));
    expect(found(text)).toEqual([
      'suppression_refused provider_unknown',
      `unreachable 'lost'`,
      `provider_unknown 'hsh'`,
    ]);
  });
});

describe('a comment is reported', () => {
  it('when it hides nothing, as long as there are no errors', () => {
    const text = pipeline('// millrace-ignore-next-line unreachable, cycle', lost);
    expect(found(text)).toEqual(['suppression_unused cycle']);
    expect(found(text.replace('webhook', 'webhok'))).toEqual([`provider_unknown 'webhok'`]);
  });

  it('not for a code that nobody could look for', () => {
    expect(found(`// millrace-ignore-file variable_undefined\n${pipeline()}`)).toEqual([]);
    const text = `// millrace-ignore-file variable_undefined\n${pipeline()}`;
    const codes = analyseText(text, { catalogue, environment: new Set() }).map(({ code }) => code);
    expect(codes).toEqual(['suppression_unused']);
  });

  it('when its code does not exist, or it has none', () => {
    expect(found(`// millrace-ignore-file unreachabel\n${pipeline()}`)).toEqual(['suppression_unknown unreachabel']);
    expect(found(`// millrace-ignore-file\n${pipeline()}`)).toEqual(['suppression_unknown // millrace-ignore-file']);
  });
});

describe('severities', () => {
  it('can be others, but not those of errors, and count behind the comments', () => {
    const severities = { unreachable: 'error', id_missing: 'off', provider_unknown: 'hint', cycle: 'off' } as const;
    const text = pipeline('// millrace-ignore-next-line cycle', lost, `{ provider: 'x', config: {} },`);
    const shown = analyseText(text, { catalogue, severities }).map(({ severity, code }) => `${severity} ${code}`);
    expect(shown).toEqual(['error unreachable', 'error id_missing', 'error provider_unknown']);
  });
});
