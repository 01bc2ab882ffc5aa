import type { ReactNode } from 'react';
import { useState } from 'react';
import { TaskState } from '../../protocol/status.js';
import { stateWords } from '../store/state.js';
import { formatUptime } from './format.js';
import { useCalm, useClock, useLive, useLiveView } from './live.js';
import { ToneIcon } from './parts.js';

/** Which run this is, how it is, and the button that stops it. */
export function Header(): ReactNode {
  const task = useLive((model) => model.task);
  // Short objects would make it flicker, and a screen reader talk without end.
  const state = useCalm(useLive(stateWords), 500);
  const spoken = useCalm(state, 3000);
  return (
    <header className="header">
      <div className="headerText">
        <h1 title={task?.name}>{task?.name ?? 'Live view'}</h1>
        <p className="headerState">
          <span className="pill">
            <ToneIcon tone={state.tone} />
            {state.label}
          </span>
          <Uptime />
          {task !== undefined && task.connection !== '' && <span className="headerPlace">{task.connection}</span>}
        </p>
      </div>
      <StopButton />
      <p className="visuallyHidden" role="status" aria-live="polite">
        {task !== undefined && `${task.name}: ${spoken.label}`}
      </p>
    </header>
  );
}

/** How long the run has been going, or went. */
export function Uptime(): ReactNode {
  const start = useLive((model) => model.status?.startTime ?? 0);
  const end = useLive((model) => model.status?.endTime ?? 0);
  const ended = useLive((model) => model.ended);
  const now = useClock(!ended && start > 0);
  if (start === 0 || (ended && end === 0)) return null;
  return <span className="uptime">{formatUptime((ended ? end : now) - start)}</span>;
}

function StopButton(): ReactNode {
  const { stop } = useLiveView();
  const run = useLive((model) => model.runs);
  const stoppable = useLive((model) => !model.ended && model.task !== undefined && model.link.kind === 'live');
  const stopping = useLive((model) => model.status?.state === TaskState.STOPPING);
  // Which run was asked to stop: a restarted one can be stopped again.
  const [asked, setAsked] = useState(0);
  if (!stoppable) return null;
  const waits = stopping || asked === run;
  const act = (): void => {
    if (waits) return;
    setAsked(run);
    stop();
  };
  return (
    <button type="button" className="button stop" onClick={act} aria-disabled={waits}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <rect x="4" y="4" width="8" height="8" rx="1" />
      </svg>
      {waits ? 'Stopping…' : 'Stop'}
    </button>
  );
}
