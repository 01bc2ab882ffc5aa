import { describe, expect, it } from 'vitest';
import { isPipelineFile, withoutEnding } from './fileName.js';

describe('the name of a pipeline file', () => {
  it('has one of three endings, in any case', () => {
    expect(['a.pipe', 'a.pipe.json', 'A.PIPE.JSON5'].filter((name) => !isPipelineFile(name))).toEqual([]);
    expect(['pipe.json', 'a.pipes', 'a.json', 'a.pipe.json.bak'].filter(isPipelineFile)).toEqual([]);
  });

  it('is shown without it', () => {
    expect(['a.b.pipe', 'A.PIPE.JSON5', '.pipe', 'a.json'].map(withoutEnding)).toEqual(['a.b', 'A', '', 'a.json']);
  });
});
