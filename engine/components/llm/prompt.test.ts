import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeQuestion } from '../../../protocol/data.js';
import { renderPrompt } from './prompt.js';

const doc = (page_content: string, type: 'Document' | 'Image' = 'Document') => ({
  type,
  page_content,
  metadata: { objectId: 'o', chunkId: 0 },
});

describe('a prompt', () => {
  it('has its sections in a fixed order with CR LF line ends', () => {
    const prompt = renderPrompt(
      makeQuestion({
        questions: [{ text: 'Who?' }, { text: 'Where?' }],
        goals: ['be brief'],
        documents: [doc('first\nsecond'), doc('aW1hZ2U=', 'Image'), doc('third')],
        context: ['It is night.'],
        history: [
          { role: 'user', content: 'Hello' },
          { role: 'assistant', content: 'Hi' },
        ],
        examples: [{ given: '1', result: 'one' }],
        instructions: [{ subtitle: 'Tone', instructions: 'friendly' }],
        role: 'You are a guide.',
      }),
    );
    expect(prompt.split('\r\n')).toEqual([
      'You are a guide.',
      '',
      'Instructions:',
      '1. Tone: friendly',
      '',
      'Examples:',
      'Given: 1',
      'Result: one',
      '',
      'Conversation so far:',
      'user: Hello',
      'assistant: Hi',
      '',
      'Context:',
      '1. It is night.',
      '',
      'Documents:',
      '1. first',
      'second',
      '2. third',
      '',
      'Goals:',
      '1. be brief',
      '',
      'Who?',
      'Where?',
    ]);
  });

  it('is the bare text when a question has nothing else', () => {
    expect(renderPrompt(makeQuestion({ questions: [{ text: 'Why?' }] }))).toBe('Why?');
  });

  it('begins its instructions with the rule for JSON, and a stricter one after a rejected reply', () => {
    const question = makeQuestion({
      expectJson: true,
      instructions: [{ subtitle: '', instructions: 'Mine' }],
      questions: [{ text: 'Why?' }],
    });
    expect(renderPrompt(question)).toMatch(/1\. Reply with one valid JSON .*\r\n2\. Mine\r\n/);
    expect(renderPrompt(question, 'it is empty')).toMatch(/\r\n2\. Your previous reply was rejected: it is empty\./);
  });

  it('is empty when a question holds nothing but space and control characters', () => {
    expect(renderPrompt(makeQuestion({ expectJson: true, questions: [{ text: ' \u0000\n' }], goals: [''] }))).toBe('');
  });

  it('keeps tabs and letters but no control characters and no halves of a surrogate pair', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('\u0000', '\u001b', '\u007f', '\ud800', '\udc00'),
        (text, bad) => {
          const prompt = renderPrompt(makeQuestion({ questions: [{ text: `a\t${bad}${text}😀` }] }));
          expect(prompt.startsWith('a\t')).toBe(true);
          expect(prompt.endsWith('😀')).toBe(true);
          expect(/\p{Cs}/u.test(prompt)).toBe(false);
          expect(/(?![\t\r\n])\p{Cc}/u.test(prompt)).toBe(false);
          expect(/\r(?!\n)|(?<!\r)\n/.test(prompt)).toBe(false);
        },
      ),
    );
  });
});
