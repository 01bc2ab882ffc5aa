import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/poll.js';
import type { Connection } from '../connections/connection.js';
import { Emitter } from '../emitter.js';
import type { RunEnd } from '../runs/runService.js';
import type { PipelineRun } from '../runs/runs.js';
import { fakeUri } from '../runs/testing/fakes.js';
import { announceEnds } from './announceEnds.js';
import { failureOf } from './remedy.js';

const runOf = (name: string, kind: Connection['kind'] = 'remote') =>
  ({ file: fakeUri(`/project/${name}.pipe`), connection: { kind } }) as PipelineRun;

describe('announceEnds', () => {
  it('says why a run has failed, and nothing of one that was stopped or came to its end', () => {
    const ends = new Emitter<RunEnd>();
    const texts: unknown[] = [];
    announceEnds({ onDidEnd: ends.event }, (error) => texts.push(failureOf(error)?.text));
    ends.fire({ run: runOf('a'), kind: 'stopped', message: '' });
    ends.fire({ run: runOf('b'), kind: 'ended', message: 'Idle for 900 s' });
    ends.fire({ run: runOf('c'), kind: 'failed', message: 'out of memory' });
    expect(texts).toEqual(['c has failed: out of memory.']);
  });

  it('has one message for all runs that a server takes along', async () => {
    const ends = new Emitter<RunEnd>();
    const texts: (string | undefined)[] = [];
    announceEnds({ onDidEnd: ends.event }, (error) => texts.push(failureOf(error)?.text));
    ends.fire({ run: runOf('local', 'local'), kind: 'lost', message: 'The engine says this itself.' });
    for (const name of ['a', 'b']) ends.fire({ run: runOf(name), kind: 'lost', message: 'Far cannot be reached.' });
    await eventually('a message', () => texts.length > 0);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('The runs of "a", "b" are lost: Far cannot be reached.');
  });
});
