import type { ReactNode } from 'react';
import type { DataNote } from '../../store/components.js';
import { formatClock, formatCount, formatDuration, formatPercent } from '../format.js';
import { useCalm, useLive, useLiveView } from '../live.js';
import { Fact } from '../parts.js';

/** What is known of the selected component, with what it was given and gave on. */
export function ComponentPanel({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const { openComponent } = useLiveView();
  const run = useLive((model) => model.run);
  const task = useLive((model) => model.task);
  // Faster than this nobody can read.
  useCalm(
    useLive((model) => model.run?.components.get(id)?.version),
    300,
  );
  const component = run?.components.get(id);
  if (component === undefined) return null;
  const { about, inputs, outputs } = component;
  const figures = run?.figures.get(id);
  const titleOf = (peer: string): string => run?.components.get(peer)?.about.title ?? peer;
  const level = task?.traceLevel ?? 'none';
  return (
    <aside className="sidePanel" aria-label={`Component ${about.title}`}>
      <div className="sideHead">
        <div className="sideTitle">
          <h2 title={about.title}>{about.title}</h2>
          <p className="muted">
            {about.provider}
            {about.id !== about.title && ` · ${about.id}`}
          </p>
        </div>
        <button type="button" className="iconButton" aria-label="Close" onClick={onClose}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="m4 4 8 8m0-8-8 8" />
          </svg>
        </button>
      </div>
      {task?.hasFile === true && (
        <button type="button" className="button secondary" onClick={() => openComponent(id)}>
          Show in file
        </button>
      )}
      <dl className="facts">
        <Fact name="Calls">{formatCount(figures?.calls ?? 0)}</Fact>
        <Fact name="Mean">{formatDuration(figures?.meanSeconds ?? 0)}</Fact>
        <Fact name="Longest">{formatDuration(figures?.maxSeconds ?? 0)}</Fact>
        <Fact name="Total">{formatDuration(figures?.totalSeconds ?? 0)}</Fact>
        <Fact name="Share of time">{formatPercent((figures?.share ?? 0) * 100)}</Fact>
        <Fact name="Errors">{formatCount(figures?.errors ?? 0)}</Fact>
      </dl>
      {level === 'none' && (
        <p className="hint">
          This run is not traced, so its data cannot be shown. Choose a trace level and start it again.
        </p>
      )}
      {level === 'metadata' && (
        <p className="hint">At the trace level “metadata” only sizes are recorded, at “full” the data too.</p>
      )}
      <DataList title="Recent inputs" notes={inputs.toReversed()} peer={(note) => `from ${titleOf(note.peer)}`} />
      <DataList title="Recent outputs" notes={outputs.toReversed()} peer={(note) => `to ${titleOf(note.peer)}`} />
    </aside>
  );
}

interface DataListProps {
  readonly title: string;
  readonly notes: readonly DataNote[];
  readonly peer: (note: DataNote) => string;
}

function DataList({ title, notes, peer }: DataListProps): ReactNode {
  return (
    <>
      <h3>{title}</h3>
      {notes.length === 0 ? (
        <p className="muted">None so far.</p>
      ) : (
        <ul className="dataList">
          {notes.map((note) => (
            <li key={note.id} className="dataNote">
              <p className="dataHead">
                <span className="lane">{note.lane}</span> <span className="dataPeer">{peer(note)}</span>
                <time>{formatClock(note.time)}</time>
              </p>
              <p className="dataObject">{note.object}</p>
              {note.data !== '' && <pre className="data">{note.data}</pre>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
