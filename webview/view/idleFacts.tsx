import type { ReactNode } from 'react';
import { barWidth, formatClock, formatDuration, formatPercent } from './format.js';
import { useLive } from './live.js';

/** How much of the time between objects nothing was done, and when the longest stretch was. */
export function IdleFacts(): ReactNode {
  const status = useLive((model) => model.status);
  if (status === undefined || status.completionSeconds + status.idleSeconds === 0) return null;
  const { completionSeconds, idleSeconds, idleLongestSeconds, idleLongestAt, completedCount, failedCount } = status;
  const done = completedCount + failedCount;
  const whole = Math.max(status.endTime, lastMoment(status.startTime, idleSeconds)) - status.startTime;
  const share = whole > 0 ? Math.min(1, idleSeconds / whole) : 0;
  return (
    <section className="idle" aria-label="Idle analysis">
      <p className="idleFact">
        <span className="muted">Work on objects</span>
        <strong>{formatDuration(completionSeconds)}</strong>
        {done > 0 && <span className="muted">mean {formatDuration(completionSeconds / done)}</span>}
      </p>
      <p className="idleFact">
        <span className="muted">Idle</span>
        <strong>{formatDuration(idleSeconds)}</strong>
        {share > 0 && <span className="muted">{formatPercent(share * 100)} of the run</span>}
        <span className="bar" aria-hidden="true">
          <span className="barFill barIdle" style={{ width: barWidth(share) }} />
        </span>
      </p>
      <p className="idleFact">
        <span className="muted">Longest idle stretch</span>
        {idleLongestAt > 0 ? (
          <>
            <strong>{formatDuration(idleLongestSeconds)}</strong>
            <span className="muted">from {formatClock(idleLongestAt)}</span>
          </>
        ) : (
          <strong>None</strong>
        )}
      </p>
    </section>
  );
}

/** Now, as far as the run goes: the clocks of server and viewer may differ. */
function lastMoment(start: number, idle: number): number {
  return Math.max(start + idle, Date.now() / 1000);
}
