import type { Uri } from 'vscode';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/poll.js';
import { Emitter } from '../emitter.js';
import type { PipelineFileFacts } from './pipelineItems.js';
import { PipelineReadings } from './pipelineReadings.js';
import { uriOf } from './testing/entries.js';

function sourceOf(paths: readonly string[]) {
  const emitter = new Emitter<Uri | undefined>();
  const asked: string[] = [];
  let under = 0;
  const source = {
    files: paths.map((path) => ({ uri: uriOf(path) })),
    onDidChange: emitter.event,
    most: 0,
    text: 'first',
    async facts(file: Uri): Promise<PipelineFileFacts> {
      asked.push(file.path);
      source.most = Math.max(source.most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under--;
      return { kind: 'pipeline', name: `${source.text} ${file.path}`, isChat: false };
    },
  };
  return { source, asked, emitter };
}

const namesOf = (readings: PipelineReadings): unknown[] =>
  readings.pipelines.map(({ facts }) => (facts?.kind === 'pipeline' ? facts.name : facts));

describe('PipelineReadings', () => {
  it('reads nothing before somebody looks, then everything, a few at a time', async () => {
    const { source, asked } = sourceOf(Array.from({ length: 50 }, (_, i) => `/w/${i}.pipe`));
    let changes = 0;
    const readings = new PipelineReadings(source, () => changes++);
    expect(asked).toEqual([]);
    expect(namesOf(readings)).toEqual(Array.from({ length: 50 }, () => undefined));
    await eventually('all are read', () => namesOf(readings).every((name) => name !== undefined));
    expect(asked.length).toBe(50);
    expect(source.most).toBeLessThanOrEqual(8);
    expect(changes).toBe(50);
    readings.dispose();
  });

  it('reads the file that changed again and shows what it said until then', async () => {
    const { source, asked, emitter } = sourceOf(['/w/a.pipe', '/w/b.pipe']);
    const readings = new PipelineReadings(source, () => undefined);
    expect(readings.pipelines.length).toBe(2);
    await eventually('both are read', () => namesOf(readings).every((name) => name !== undefined));
    source.text = 'second';
    emitter.fire(source.files[1]?.uri);
    expect(namesOf(readings)).toEqual(['first /w/a.pipe', 'first /w/b.pipe']);
    await eventually('the change', () => namesOf(readings)[1] === 'second /w/b.pipe');
    expect(asked).toEqual(['/w/a.pipe', '/w/b.pipe', '/w/b.pipe']);
    readings.dispose();
  });

  it('follows files that come and go', async () => {
    const { source, emitter } = sourceOf(['/w/a.pipe']);
    const readings = new PipelineReadings(source, () => undefined);
    expect(readings.pipelines.length).toBe(1);
    source.files = [{ uri: uriOf('/w/c.pipe') }];
    emitter.fire(undefined);
    await eventually('the new one', () => namesOf(readings)[0] === 'first /w/c.pipe');
    expect(readings.pipelines.length).toBe(1);
    readings.dispose();
  });
});
