import { describe, expect, it } from 'vitest';
import { LiveSession } from './liveSession.js';

function makeSession(failing = false) {
  const calls: string[] = [];
  const log: string[] = [];
  const note = (what: string): Promise<void> => {
    calls.push(what);
    return failing ? Promise.reject(new Error('broken')) : Promise.resolve();
  };
  const session = new LiveSession({
    feed: {
      start: (lastSeq) => note(`start ${lastSeq}`),
      resume: () => note('resume'),
      pause: () => void note('pause'),
      trace: (beginSeq) => note(`trace ${beginSeq}`),
    },
    openComponent: (id) => void note(`open ${id}`),
    stop: () => void note('stop'),
    log: (line) => log.push(line),
  });
  return { session, calls, log };
}

describe('a session with the view', () => {
  it('does what the view asks, in order', () => {
    const { session, calls, log } = makeSession();
    session.handle({ type: 'ready', lastSeq: 4 });
    session.handle({ type: 'visible', visible: false });
    session.handle({ type: 'visible', visible: true });
    session.handle({ type: 'trace', beginSeq: 9 });
    session.handle({ type: 'openComponent', id: 'parse' });
    session.handle({ type: 'stop' });
    expect(calls).toEqual(['start 4', 'pause', 'resume', 'trace 9', 'open parse', 'stop']);
    expect(log).toEqual([]);
  });

  it('mentions malformed messages once and goes on', () => {
    const { session, calls, log } = makeSession();
    for (const message of [null, 'stop', { type: 'ready' }, { type: '__proto__' }]) session.handle(message);
    session.handle({ type: 'ready', lastSeq: 0 });
    expect(log).toHaveLength(1);
    expect(calls).toEqual(['start 0']);
  });

  it('logs what fails', async () => {
    const { session, log } = makeSession(true);
    session.handle({ type: 'trace', beginSeq: 1 });
    await Promise.resolve();
    await Promise.resolve();
    expect(log).toEqual(['The live view failed: broken']);
  });
});
