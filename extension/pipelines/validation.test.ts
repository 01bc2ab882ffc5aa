import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { bundledCatalogue } from '../../pipeline/bundledCatalogue.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import {
  countFindings,
  findProblems,
  localCheck,
  serverCheck,
  type StructureCheck,
  withoutKnown,
} from './validation.js';

const catalogue = bundledCatalogue();

let server: TestServer;
let client: MillraceClient;

beforeAll(async () => {
  server = await startServer();
  client = new MillraceClient({ uri: server.url, auth: server.key });
  await client.connect();
});

afterAll(async () => {
  await client.disconnect();
  await server.stop();
});

const good = `{
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'out', provider: 'response', config: { lanes: [] }, input: [{ from: 'in', lane: 'text' }] },
  ],
}`;

const checks: [string, () => StructureCheck][] = [
  ['a server', () => serverCheck(client)],
  ['the catalogue alone', () => localCheck],
];

describe.each(checks)('problems found by %s', (_name, check) => {
  const problems = (text: string) => findProblems(text, 'a.pipe', check(), { catalogue });

  it('are none in a sound pipeline', async () => {
    expect(await problems(good)).toEqual([]);
    expect(await problems(`{ pipeline: ${good} }`)).toEqual([]);
  });

  it('stand at the place of what is wrong, also in a wrapper', async () => {
    const [unknown] = await problems(good.replace("from: 'in'", "from: 'inn'"));
    expect(unknown).toMatchObject({ severity: 'error', start: { line: 3 } });
    const [wrapped] = await problems(`{ "pipeline":\n${good.replace("'webhook'", "'webhok'")} }`);
    expect(wrapped).toMatchObject({ code: 'provider_unknown', start: { line: 3 } });
  });

  it('include what is likely to be wrong in a sound pipeline, at the id of the component', async () => {
    const lonely = good.replace('  ],\n}', "    { provider: 'hash', id: 'lonely', config: {} },\n  ],\n}");
    const found = await problems(lonely);
    const warning = found.find(({ code }) => code === 'unreachable');
    expect(warning).toMatchObject({ severity: 'warning', start: { line: 4 } });
    const line = lonely.split('\n')[4] ?? '';
    expect(line.slice(warning?.start.character, warning?.end.character)).toBe("'lonely'");
  });

  it('say where a text is broken, and that an empty one is empty', async () => {
    expect((await problems('{\n  components: [}\n}')).slice(0, 1)).toMatchObject([
      { code: 'syntax_array_unclosed', start: { line: 1, character: 14 } },
    ]);
    expect((await problems(''))[0]?.message).toContain('empty');
  });

  it('are looked for from every source of a pipeline that leaves the choice open', async () => {
    const second = "    { id: 'ask', provider: 'chat', config: { mode: 'Source' } },\n  ],\n}";
    const found = await problems(good.replace('  ],\n}', second));
    expect(found.map(({ code }) => code)).not.toContain('unreachable');
    expect(found.filter(({ code }) => code === 'source_ambiguous')).toMatchObject([{ severity: 'warning' }]);
    expect(found.filter(({ code }) => code === 'no_response')).toHaveLength(1);
  });

  it('tell that nothing can be started', async () => {
    expect(await problems('{ components: [] }')).toMatchObject([
      { severity: 'error', code: 'source_missing' },
      { severity: 'hint', code: 'components_empty' },
    ]);
    expect(countFindings(await problems('{ components: [] }'))).toBe('1 error, 1 note');
  });
});

describe('countFindings', () => {
  it('counts errors, warnings and the rest', () => {
    const [error, warning] = [{ severity: 'error' as const }, { severity: 'warning' as const }];
    expect(countFindings([])).toBe('');
    expect(countFindings([error, error, warning])).toBe('2 errors, 1 warning');
    expect(countFindings([{ severity: 'hint' }, { severity: 'information' }])).toBe('2 notes');
  });
});

describe('withoutKnown', () => {
  const at = (code: string, line: number) => {
    const position = { line, character: 0 };
    return { severity: 'error' as const, code, message: code, start: position, end: position };
  };

  it('leaves out what is shown already at the same line', () => {
    const findings = [at('provider_unknown', 2), at('provider_unknown', 5), at('no_response', 2)];
    const left = withoutKnown(findings, [{ code: 'provider_unknown', line: 2 }]);
    expect(left.map(({ code, start }) => [code, start.line])).toEqual([
      ['provider_unknown', 5],
      ['no_response', 2],
    ]);
  });
});
