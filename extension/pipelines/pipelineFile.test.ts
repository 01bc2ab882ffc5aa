import { describe, expect, it } from 'vitest';
import { largestPipeline, pipelineName, type PipelineFacts, readPipelineText } from './pipelineFile.js';

const webhook = { id: 'in', provider: 'webhook', config: { mode: 'Source' } };
const chat = { id: 'ask', provider: 'chat', config: { mode: 'Source' } };

function facts(pipeline: unknown, name = 'work/letters.pipe.json'): PipelineFacts {
  const reading = readPipelineText(JSON.stringify(pipeline), name);
  if (reading.kind !== 'pipeline') throw new Error(reading.message);
  return reading;
}

describe('readPipelineText', () => {
  it('tells name, project, source and components of a pipeline', () => {
    const found = facts({ name: 'Letters', project_id: 'p1', source: 'in', components: [webhook] });
    expect(found).toMatchObject({ name: 'Letters', projectId: 'p1', isChat: false });
    expect(found.sources).toEqual([{ id: 'in', provider: 'webhook' }]);
    expect(found.components.map(({ id }) => id)).toEqual(['in']);
  });

  it('calls a pipeline without a name as its file', () => {
    expect(facts({ components: [] }).name).toBe('letters');
    expect(facts({ components: [] }).projectId).toBeUndefined();
  });

  it('lists every source when somebody has to choose, and none when it cannot be started', () => {
    expect(facts({ components: [webhook, chat] }).sources.map(({ id }) => id)).toEqual(['in', 'ask']);
    expect(facts({ components: [webhook, chat], source: 'in' }).sources.map(({ id }) => id)).toEqual(['in']);
    expect(facts({ components: [webhook], source: 'gone' }).sources).toEqual([]);
    expect(facts({ components: 5 }).sources).toEqual([]);
  });

  it('knows which pipelines take questions', () => {
    expect(facts({ components: [chat] }).isChat).toBe(true);
    expect(facts({ pipeline: { components: [chat] } }).isChat).toBe(true);
  });

  it('says where a broken file is broken', () => {
    const reading = readPipelineText('{\n  "components": [}\n}', 'a.pipe');
    expect(reading).toMatchObject({ kind: 'problem', name: 'a', position: { line: 1, character: 17 } });
  });

  it('keeps what helps against what is wrong', () => {
    const hint = (text: string): string => {
      const reading = readPipelineText(text, 'a.pipe');
      return reading.kind === 'problem' ? reading.hint : '';
    };
    expect(hint('{"constructor": 1}')).toContain('Rename');
    expect(hint('')).toContain('New Pipeline');
  });

  it('has a clear message for an empty file, another value and a file of 50 MB', () => {
    const message = (text: string): string => {
      const reading = readPipelineText(text, 'a.pipe');
      return reading.kind === 'problem' ? reading.message : '';
    };
    expect(message('  \n')).toContain('empty');
    expect(message('[1, 2]')).toContain('must be an object');
    expect(message(' '.repeat(50 * 1024 * 1024))).toBe('This file has 50 MB: pipeline files of at most 8 MB are read.');
    expect(message(`{${' '.repeat(largestPipeline - 2)}}`)).toBe('');
  });
});

describe('names of pipeline files', () => {
  it('drops folders and endings, on Windows too', () => {
    expect(['a/b.pipe', 'C:\\x\\b.pipe.json', 'b.pipe.json5', '.pipe'].map(pipelineName)).toEqual([
      'b',
      'b',
      'b',
      '.pipe',
    ]);
  });
});
