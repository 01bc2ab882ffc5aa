import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Grammar, type Token, tokenize } from '../testing/tokenize.js';

const file = path.join(import.meta.dirname, 'millrace.tmLanguage.json');
const grammar = JSON.parse(readFileSync(file, 'utf8')) as Grammar;

/** The innermost scope of each token, without the language at its end. */
function scopes(text: string): [string, string | undefined][] {
  return tokenize(grammar, text).map((token) => [token.text.trim(), innermost(token)]);
}

function innermost({ scopes: all }: Token): string | undefined {
  return all.at(-1)?.replace(/\.millrace$/, '');
}

function scopeOf(text: string, wanted: string): string | undefined {
  const token = tokenize(grammar, text).find((each) => each.text.trim() === wanted);
  return token === undefined ? `no token "${wanted}"` : innermost(token);
}

describe('the grammar', () => {
  it.each(['42', '-1', '+.5', '5.', '0.25e-3', '1E6'])('colours %s as a number', (number) => {
    expect(scopeOf(`{ a: ${number} }`, number)).toBe('constant.numeric');
  });

  it.each(['0x1F', '-0XdecAF'])('colours %s as a hexadecimal number', (number) => {
    expect(scopeOf(`[${number}]`, number)).toBe('constant.numeric.hex');
  });

  it.each(['+Infinity', '-Infinity', 'Infinity', 'NaN'])('colours %s as a number', (number) => {
    expect(scopeOf(`[${number},]`, number)).toBe('constant.numeric');
  });

  it.each(['true', 'false', 'null'])('colours %s as a constant', (word) => {
    expect(scopeOf(`{ a: ${word}, }`, word)).toBe('constant.language');
  });

  it.each([
    'name',
    '$a_1',
    'größe',
    '\\u0061b',
    "'single'",
    '"double"',
    '"with: colon"',
    "'it\\'s'",
    'true',
    'Infinity',
  ])('colours %s before a colon as a property', (key) => {
    expect(scopeOf(`{ ${key} : 1 }`, key)).toBe('support.type.property-name');
  });

  it('colours line comments to their end and block comments over lines', () => {
    const text = "{ // it's { \"a\"\n  /* one\n two */ a: 'http://x' }";
    expect(scopes(text)).toEqual([
      ['{', 'punctuation.definition.dictionary.begin'],
      ['//', 'punctuation.definition.comment'],
      ['it\'s { "a"', 'comment.line.double-slash'],
      ['/*', 'punctuation.definition.comment.begin'],
      ['one', 'comment.block'],
      ['two', 'comment.block'],
      ['*/', 'punctuation.definition.comment.end'],
      ['a', 'support.type.property-name'],
      [':', 'punctuation.separator.dictionary.key-value'],
      ["'", 'punctuation.definition.string.begin'],
      ['http://x', 'string.quoted.single'],
      ["'", 'punctuation.definition.string.end'],
      ['}', 'punctuation.definition.dictionary.end'],
    ]);
  });

  it('goes on with a string after a backslash at the end of a line', () => {
    expect(scopes("['one \\\ntwo']").slice(2, 5)).toEqual([
      ['one', 'string.quoted.single'],
      ['\\', 'constant.character.escape.newline'],
      ['two', 'string.quoted.single'],
    ]);
  });

  it('ends a string that nobody closed with its line, also behind an escaped backslash', () => {
    expect(scopeOf("{ a: 'open\n b: 1 }", 'b')).toBe('support.type.property-name');
    expect(scopeOf("{ a: 'open\\\\\n b: 1 }", 'b')).toBe('support.type.property-name');
  });

  it('marks escapes, and those that JSON5 does not have', () => {
    for (const escape of ['\\n', '\\x41', '\\u00e9', "\\'", '\\0', '\\é']) {
      expect(scopeOf(`["${escape}"]`, escape)).toBe('constant.character.escape');
    }
    for (const escape of ['\\1', '\\x', '\\u']) {
      expect(scopeOf(`["${escape}zz"]`, escape)).toBe('invalid.illegal.unrecognized-string-escape');
    }
  });

  it('marks variables inside strings', () => {
    expect(scopes('["a ${MILLRACE_KEY} b"]').slice(2, 6)).toEqual([
      ['a', 'string.quoted.double'],
      ['${', 'punctuation.definition.template-expression.begin'],
      ['MILLRACE_KEY', 'variable.other.constant'],
      ['}', 'punctuation.definition.template-expression.end'],
    ]);
    expect(scopeOf("{ id: 'a-${MILLRACE_KEY}' }", 'MILLRACE_KEY')).toBe('variable.other.constant');
    expect(scopeOf("['costs 5 ${ each']", 'costs 5 ${ each')).toBe('string.quoted.single');
  });

  it('tells the words of a component and what they name apart, quoted or not', () => {
    for (const text of [
      "{ source: 'in', components: [{ id: 'out', provider: 'hash', input: [{ from: 'in', lane: 'tags' }] }] }",
      '{ "components": [{ "id": "out", "provider": "hash", "input": [{ "from": "in", "lane": "tags" }] }] }',
    ]) {
      const word = (name: string): string => (text.includes(`"${name}"`) ? `"${name}"` : name);
      const value = (name: string): string => (text.includes(`"${name}"`) ? `"${name}"` : `'${name}'`);
      expect(scopeOf(text, word('id'))).toBe('keyword.other.component.id');
      expect(scopeOf(text, word('provider'))).toBe('keyword.other.component.provider');
      expect(scopeOf(text, word('from'))).toBe('keyword.other.component.from');
      expect(scopeOf(text, word('lane'))).toBe('keyword.other.component.lane');
      expect(scopeOf(text, value('out'))).toBe('entity.name.function.component');
      expect(scopeOf(text, value('in'))).toBe('entity.name.function.component');
      expect(scopeOf(text, value('hash'))).toBe('entity.name.type.provider');
      expect(scopeOf(text, value('tags'))).toBe('constant.other.lane');
      expect(scopeOf(text, word('components'))).toBe('support.type.property-name');
    }
    expect(scopeOf("{ control: [{ from: 'a', classType: 'llm' }] }", 'classType')).toBe('keyword.other.component.lane');
    expect(scopeOf("{ id:\n 'below' }", 'id')).toBe('keyword.other.component');
  });

  it('takes the words of a component for plain ones inside its configuration, and not after it', () => {
    const text = "{ config: { id: 'x', deep: [{ provider: 'y' }] }, lane: 'text' }";
    expect(scopeOf(text, 'config')).toBe('support.type.property-name');
    expect(scopeOf(text, 'id')).toBe('support.type.property-name');
    expect(scopeOf(text, 'provider')).toBe('support.type.property-name');
    expect(scopeOf(text, 'lane')).toBe('keyword.other.component.lane');
    expect(scopeOf('{ "config": {}, "lane": "text" }', '"lane"')).toBe('keyword.other.component.lane');
    expect(scopeOf("{ myconfig: { id: 'x' } }", 'id')).toBe('keyword.other.component.id');
  });

  it('leaves a text that is not JSON5 without an end in peace', () => {
    expect(() => tokenize(grammar, '{{{[[\'"/*\n}}]]:::,,,\n\\ @ # ${')).not.toThrow();
  });
});
