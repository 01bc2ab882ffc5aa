import { describe, expect, it } from 'vitest';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { incoming, outgoing, prepareHierarchy } from './callHierarchy.js';
import { useLenses } from './codeLenses.js';
import { lineOfVariable, linkTargets } from './documentLinks.js';
import { formatDocument, formatOnType } from './formatting.js';
import { inlayHints } from './inlayHints.js';
import { PipelineDocument } from './pipelineDocument.js';
import { semanticTokens } from './semanticTokens.js';
import { signatureHelp } from './signatureHelp.js';
import { foldingRanges } from './symbols.js';
import { fixture } from './testing/fixture.js';
import { componentsOf, matches } from './workspaceSymbols.js';

const catalogue = bundledCatalogue();
const read = (text: string): PipelineDocument => new PipelineDocument('file:///project/a.pipe', text);
const options = { tabSize: 2, insertSpaces: true };
const all = { start: { line: 0, character: 0 }, end: { line: 1e6, character: 0 } };

/** The text with edits made, which are in its order. */
function edited(document: PipelineDocument, edits: ReturnType<typeof formatDocument>): string {
  return edits.reduceRight(
    (text, { range, newText }) =>
      text.slice(0, document.offsetAt(range.start)) + newText + text.slice(document.offsetAt(range.end)),
    document.text,
  );
}

const chat = `{
  source: 'ask',
  components: [
    { id: 'ask', provider: 'chat', config: { mode: 'Source' } },
    {
      id: 'model',
      provider: 'llm_openai_api',
      config: { profile: 'custom', custom: { model: 'm', apikey: '\${MILLRACE_KEY}' } },
      input: [{ from: 'ask', lane: 'questions' }],
    },
    { id: "answers", provider: "response_answers", config: {}, input: [{ from: "model", lane: "answers" }] },
  ],
}
`;

describe('semantic tokens', () => {
  const shown = (text: string): string[] => {
    const document = read(text);
    return semanticTokens(document, catalogue).map(
      ({ start, end, type, isDeclaration }) => `${text.slice(start, end)} ${type}${isDeclaration ? '!' : ''}`,
    );
  };

  it('say what every name of a pipeline is, without its quotes', () => {
    expect(shown(chat)).toEqual([
      'ask variable',
      ...['ask variable!', 'chat class', 'mode property'],
      ...['model variable!', 'llm_openai_api class', 'profile property', 'custom enumMember', 'custom enumMember'],
      ...['model property', 'apikey property', '${MILLRACE_KEY} macro', 'ask variable', 'questions enumMember'],
      ...['answers variable!', 'response_answers class', 'model variable', 'answers enumMember'],
    ]);
  });

  it('leave out names that stand for nothing, and what is unfinished', () => {
    expect(shown(`{ source: 'x', components: [{ id: '', provider: 'webhok', input: [{ from: 'y', lane`)).toEqual([]);
    expect(shown(`{ components: [{ id: 'a`)).toEqual(['a variable!']);
  });
});

describe('inlay hints', () => {
  const shown = (text: string, range = all): string[] => {
    const document = read(text);
    return inlayHints(document, range, catalogue).map(({ position, label }) => {
      const line = document.text.slice(0, document.offsetAt(position)).split('\n').at(-1) ?? '';
      return `${line.trim().split(/[ ,]/).at(-1)} ${label as string}`;
    });
  };

  it('show what a component puts out, and what an id stands for', () => {
    expect(shown(chat)).toEqual([
      `'chat' → questions`,
      `'llm_openai_api' → answers`,
      `'ask' chat`,
      `"model" llm_openai_api`,
    ]);
  });

  it('are quiet where the text says it, and outside of what is on the screen', () => {
    const text = `{ components: [{ id: 'parse_1', provider: 'parse' }, { id: 'a', provider: 'nothing', input: [{ from: 'parse_1' }] }] }`;
    expect(shown(text)).toEqual([]);
    expect(shown(chat, { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } })).toEqual([]);
  });
});

describe('help with links', () => {
  const shown = (text: string): string | undefined => {
    const { document, position } = fixture(text);
    const help = signatureHelp(document, position, catalogue);
    const signature = help?.signatures[0];
    const active = signature?.parameters?.[help?.activeParameter ?? 0];
    if (signature === undefined) return undefined;
    const [start, end] = (active?.label ?? [0, 0]) as [number, number];
    return `${signature.label} [${signature.label.slice(start, end)}] ${(active?.documentation ?? '') as string}`;
  };
  const parser = `{ components: [{ id: 'in', provider: 'webhook' }, { id: 'p', provider: 'parse', input: `;

  it('tells which lanes a component takes, and which one is being written', () => {
    expect(shown(`${parser}[|`)).toMatch(/^parse takes tags \[tags\] tags → text/);
    expect(shown(`${parser}[{ from: 'in', la|`)).toMatch(/^parse takes tags \[tags\] tags → text/);
    expect(shown(`{ components: [{ provider: 'response_text', input: [{ lane: 'te|`)).toMatch(/^response_text takes /);
  });

  it('tells what a component can be used as', () => {
    const text = `{ components: [{ provider: 'llm_openai_api', control: [{ from: 'a', classType: 'llm'| }] }`;
    expect(shown(text)).toMatch(/^llm_openai_api is used as llm \[llm\]/);
  });

  it('says nothing elsewhere', () => {
    expect(shown(`${parser}[]|`)).toBeUndefined();
    expect(shown(`{ components: [{ provider: 'webhook', input: [|`)).toBeUndefined();
    expect(shown(`{ components: [{ provider: 'what', input: [|`)).toBeUndefined();
  });
});

describe('the hierarchy of a component', () => {
  it('has upstream as incoming and downstream as outgoing', () => {
    const { document, position } = fixture(chat.replace(`'llm_openai_api'`, `'llm_|openai_api'`));
    const item = prepareHierarchy(document, position);
    if (item === undefined) throw new Error('There is no component here');
    expect(item).toMatchObject({ name: 'model', detail: 'llm_openai_api' });
    expect(incoming(document, item).map(({ from, fromRanges }) => [from.name, fromRanges.length])).toEqual([
      ['ask', 1],
    ]);
    expect(outgoing(document, item).map(({ to }) => to.name)).toEqual(['answers']);
    const nowhere = fixture(chat.replace('source', 'sou|rce'));
    expect(prepareHierarchy(nowhere.document, nowhere.position)).toBeUndefined();
  });
});

describe('lenses', () => {
  it('say who uses a component of several lines', () => {
    const [lens, ...rest] = useLenses(read(chat));
    expect(rest).toEqual([]);
    expect(lens).toMatchObject({ title: 'used by answers', range: { start: { line: 4 } }, id: { start: { line: 5 } } });
    expect(lens?.uses).toHaveLength(1);
  });
});

describe('folding', () => {
  it('takes comments together and knows regions', () => {
    const text = `// one\n// two\n{\n  // #region in\n  a: 1, // beside\n  // alone\n  b: 2,\n  // #endregion\n}\n// last\n// of all\n`;
    expect(foldingRanges(read(text))).toEqual([
      { startLine: 0, endLine: 1, kind: 'comment' },
      { startLine: 2, endLine: 7 },
      { startLine: 3, endLine: 7, kind: 'region' },
      { startLine: 9, endLine: 10, kind: 'comment' },
    ]);
  });
});

describe('the search for components', () => {
  it('finds by letters in their order', () => {
    const symbols = componentsOf(read(chat));
    const found = (query: string): string[] => symbols.filter((each) => matches(each, query)).map(({ name }) => name);
    expect(found('')).toEqual(['ask', 'model', 'answers']);
    expect(found('ANS')).toEqual(['answers']);
    expect(found('lmopen')).toEqual(['model']);
    expect(found('nosuch')).toEqual([]);
  });
});

describe('links', () => {
  it('lead to files and to the variables of a .env', () => {
    const text = `{ components: [{ provider: 'filesys', config: {
      include: [{ path: 'docs/a.md' }, { path: '**/*.md' }, { path: 'https://example.org' }],
      template_file: "prompt.txt", key: '\${MILLRACE_KEY} and \${HOME}', model: 'gpt' } }] }`;
    const document = read(text);
    const shown = linkTargets(document, catalogue).map(({ start, end, kind }) => `${kind} ${text.slice(start, end)}`);
    expect(shown).toEqual(['file docs/a.md', 'file prompt.txt', 'variable ${MILLRACE_KEY}']);
  });

  it('know the line of a variable', () => {
    const text = '# KEY=no\nexport MILLRACE_KEY = a\nMILLRACE_KEY_2=b\r\nMILLRACE_KEY=c';
    expect(lineOfVariable(text, 'MILLRACE_KEY')).toBe(3);
    expect(lineOfVariable(text, 'MILLRACE_KEY_2')).toBe(2);
    expect(lineOfVariable(text, 'KEY')).toBeUndefined();
  });
});

describe('formatting', () => {
  it('is made of small edits', () => {
    const document = read('{ a: 1,b: 2 }\n');
    expect(formatDocument(document, options)).toEqual([
      { range: { start: { line: 0, character: 7 }, end: { line: 0, character: 7 } }, newText: ' ' },
    ]);
    expect(formatDocument(read('{ a: '), options)).toEqual([]);
  });

  it('forms what a bracket closes, and nothing around it', () => {
    const { document, position } = fixture('{ a:1, b: [1,2]|, c:3 }');
    expect(edited(document, formatOnType(document, position, ']', options))).toBe('{ a:1, b: [1, 2], c:3 }');
  });

  it('indents a new line by its depth, also in unfinished text', () => {
    const lines = (text: string): string => {
      const { document, position } = fixture(text);
      return edited(document, formatOnType(document, position, '\n', options));
    };
    expect(lines('{ a: [\n|')).toBe('{ a: [\n    ');
    expect(lines('{\n  a: [\n|],\n}')).toBe('{\n  a: [\n  ],\n}');
    expect(lines('{\n  a: 1,\n      |b: 2')).toBe('{\n  a: 1,\n  b: 2');
    expect(lines('{ /*\n|\n*/ }')).toBe('{ /*\n\n*/ }');
  });
});
