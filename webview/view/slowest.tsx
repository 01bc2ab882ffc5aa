import type { ReactNode } from 'react';
import { useState } from 'react';
import type { SlowDoc } from '../../protocol/status.js';
import type { TraceObject } from '../store/objects.js';
import { isUntraced } from '../store/state.js';
import { barWidth, formatClock, formatDuration } from './format.js';
import { useCalm, useLive, useLiveView } from './live.js';
import { Empty, ObjectName } from './parts.js';
import { Waterfall } from './waterfall.js';

/** The objects that took longest, and what each spent its time on. */
export function SlowestTab(): ReactNode {
  const { requestTrace } = useLiveView();
  const run = useLive((model) => model.run);
  const docs = useLive((model) => model.status?.slowestDocs);
  const untraced = useLive(isUntraced);
  const [chosen, setChosen] = useState<SlowDoc>();
  if (untraced)
    return (
      <Empty title="This run is not traced">
        Start it with a trace level to see which objects take longest and where their time goes.
      </Empty>
    );
  if (docs === undefined || docs.length === 0)
    return <Empty title="No object has been completed yet">The ten slowest of this run are kept here.</Empty>;
  const longest = docs[0]?.elapsed ?? 0;
  const choose = (doc: SlowDoc): void => {
    setChosen(doc);
    if (doc.beginSeq !== null && run?.objects.find(doc.beginSeq) === undefined) requestTrace(doc.beginSeq);
  };
  const isChosen = (doc: SlowDoc): boolean =>
    chosen !== undefined && chosen.beginSeq === doc.beginSeq && chosen.beginTime === doc.beginTime;
  return (
    <div className="slowest">
      <table className="table">
        <caption className="visuallyHidden">The slowest objects of this run</caption>
        <thead>
          <tr>
            <th scope="col">Object</th>
            <th scope="col" className="wide">
              Time
            </th>
            <th scope="col" className="number optional">
              Began
            </th>
          </tr>
        </thead>
        <tbody>
          {docs.map((doc) => (
            // The button is for keyboards and screen readers; its click arrives here too.
            <tr
              key={`${doc.beginSeq}/${doc.beginTime}`}
              className={isChosen(doc) ? 'rowSelected' : undefined}
              onClick={() => choose(doc)}
            >
              <th scope="row">
                <button type="button" className="rowButton" aria-pressed={isChosen(doc)}>
                  <ObjectName name={doc.name} />
                </button>
              </th>
              <td className="wide">
                <span className="cellBar">
                  <span className="bar" aria-hidden="true">
                    <span className="barFill" style={{ width: barWidth(longest > 0 ? doc.elapsed / longest : 0) }} />
                  </span>
                  <span className="cellTime">{formatDuration(doc.elapsed)}</span>
                </span>
              </td>
              <td className="number optional">{formatClock(doc.beginTime)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="slowestTrace" aria-live="polite">
        {chosen === undefined ? (
          <p className="muted">Choose an object to see where its time went.</p>
        ) : (
          <TraceOf key={`${chosen.beginSeq}/${chosen.beginTime}`} doc={chosen} />
        )}
      </div>
    </div>
  );
}

/** The trace from what the view has seen, else the answer of the server. */
function TraceOf({ doc }: { doc: SlowDoc }): ReactNode {
  const { beginSeq } = doc;
  const run = useLive((model) => model.run);
  const answer = useLive((model) => (beginSeq === null ? undefined : model.traces.get(beginSeq)));
  // Held here, because the log may forget the object while somebody reads.
  const [seen] = useState<TraceObject | undefined>(() => (beginSeq === null ? undefined : run?.objects.find(beginSeq)));
  useCalm(
    useLive((model) => model.run?.objects.version),
    300,
  );
  if (beginSeq === null)
    return <Empty title="This trace cannot be found">The server did not say where it begins.</Empty>;
  if (seen !== undefined) return <Waterfall object={seen} />;
  if (answer?.kind === 'found') return <Waterfall object={answer.object} />;
  if (answer?.kind === 'lost')
    return (
      <Empty title="The steps of this object are no longer kept">
        {answer.reason || 'The server keeps the newest events only.'}
      </Empty>
    );
  return <p className="muted loading">Asking the server for the steps of “{doc.name}”…</p>;
}
