import { describe, expect, it } from 'vitest';
import { documentName, longestDocument, resultText, uploadReport } from './results.js';

const texts = (text: unknown[], key = 'text') => ({ objectId: 'o', name: 'a', result_types: [key], [key]: text });

describe('resultText', () => {
  it('is the text itself when the result is one text, as Markdown where it is that', () => {
    expect(resultText(texts(['plain words']), 'a.pdf')).toEqual({ fileName: 'a.pdf.result.txt', text: 'plain words' });
    expect(resultText(texts(['# Title\n\nWords']), 'a.pdf').fileName).toBe('a.pdf.result.md');
    expect(resultText(texts(['Berlin.'], 'answers'), 'Question').fileName).toBe('Question.result.md');
  });

  it('is readable JSON for everything else, also for a failure', () => {
    const several = resultText(texts(['one', 'two']), 'a');
    expect(several.fileName).toBe('a.result.json');
    expect(JSON.parse(several.text)).toMatchObject({ text: ['one', 'two'] });
    expect(several.text).toContain('\n  "text": [');
    const failed = { ...texts(['partly']), error: { message: 'no', code: 'component_failed' } };
    expect(resultText(failed, 'a').fileName).toBe('a.result.json');
    expect(resultText({ objectId: 'o' }, 'a').fileName).toBe('a.result.json');
  });

  it('reads the keys of older servers too', () => {
    const result = { objectId: 'o', result_types: { text: 'text', rows: 'table' }, text: ['words'], rows: [] };
    expect(resultText(result, 'a')).toEqual({ fileName: 'a.result.txt', text: 'words' });
  });

  it('cuts what the editor could not open, and says so', () => {
    const { text } = resultText(texts(['x'.repeat(longestDocument + 10)]), 'a');
    expect(text.length).toBeLessThan(longestDocument + 100);
    expect(text).toContain('10 more characters');
  });
});

describe('documentName', () => {
  it('makes a file name of anything, and never that of a pipeline', () => {
    expect(documentName('C:\\folder\\letter.docx')).toBe('letter.docx');
    expect(documentName('../../etc/pass:wd?')).toBe('pass_wd_');
    expect(documentName('work.pipe.json')).toBe('work');
    expect(documentName('Größe 北京.txt')).toBe('Größe 北京.txt');
    expect(documentName('...')).toBe('Result');
    expect(documentName('x'.repeat(500))).toHaveLength(80);
  });
});

describe('uploadReport', () => {
  const done = { action: 'complete' as const, filepath: '/w/a.txt', bytes_sent: 1, file_size: 1, upload_time: 0 };

  it('has a line for each file with its result or its error, and below what each gave', () => {
    const { fileName, text } = uploadReport(
      [
        { ...done, result: texts(['alpha']) },
        { ...done, action: 'error', error: 'It is damaged' },
        { ...done, result: texts(['one', 'two']) },
      ],
      ['a.txt', 'b.pdf', 'sub/c.txt'],
      'letters',
    );
    expect(fileName).toBe('letters.results.md');
    expect(text).toContain('3 files, 1 failed.');
    expect(text).toContain('| a.txt | alpha |');
    expect(text).toContain('| b.pdf | **Failed:** It is damaged |');
    expect(text).toContain('| sub/c.txt | text: 2 items |');
    expect(text).toContain('## a.txt\n\n```\nalpha\n```');
  });

  it('shows names and texts as text, whatever Markdown or HTML they contain', () => {
    const { text } = uploadReport([{ ...done, result: texts(['a | b\n````\n<img src=x>']) }], ['[x](http://x)|y'], 't');
    expect(text).toContain('| \\[x\\](http://x)\\|y | a \\| b \\`\\`\\`\\` \\<img src=x\\> |');
    expect(text).toContain('`````\na | b\n````');
  });
});
