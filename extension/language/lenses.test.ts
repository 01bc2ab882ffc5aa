import { describe, expect, it } from 'vitest';
import { readPipelineText } from '../pipelines/pipelineFile.js';
import { lensesOf } from './lenses.js';

const pipeline = readPipelineText('{components: []}', 'a.pipe');
const broken = readPipelineText('{components: [', 'a.pipe');
const titles = (...args: Parameters<typeof lensesOf>) => lensesOf(...args).map(({ title }) => title);

describe('lensesOf', () => {
  it('offers to run a pipeline that does not run', () => {
    expect(titles(pipeline, undefined)).toEqual(['$(play) Run', 'Validate']);
    expect(lensesOf(pipeline, undefined)[0]?.command).toBe('millrace.pipeline.run');
  });

  it('offers what a running pipeline takes: files and texts, or questions', () => {
    const sent = ['$(debug-stop) Stop', 'Send files…', 'Send text…', 'Live view', 'Attach', 'Validate'];
    expect(titles(pipeline, { isChat: false })).toEqual(sent);
    const asked = ['$(debug-stop) Stop', 'Ask…', 'Live view', 'Attach', 'Validate'];
    expect(titles(pipeline, { isChat: true })).toEqual(asked);
  });

  it('still stops a run whose file was broken meanwhile', () => {
    expect(titles(broken, { isChat: false })).toEqual(['$(debug-stop) Stop', 'Validate']);
    expect(titles(broken, undefined)).toEqual(['Validate']);
  });
});
