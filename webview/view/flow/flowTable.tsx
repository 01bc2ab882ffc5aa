import type { ReactNode } from 'react';
import { use } from 'react';
import type { RunModel } from '../../store/run.js';
import { barWidth, formatCount, formatDuration, formatPercent } from '../format.js';
import { useCalm, useLive } from '../live.js';
import { SelectionContext } from './componentNode.js';

/** The twin of the graph: the same facts as rows. Without `interactive` it is there for screen readers alone. */
export function FlowTable({ run, interactive }: { run: RunModel; interactive: boolean }): ReactNode {
  const { selected, select } = use(SelectionContext);
  useCalm(
    useLive((model) => model.run?.version),
    interactive ? 100 : 1000,
  );
  const titleOf = (id: string): string => run.components.get(id)?.about.title ?? id;
  return (
    <table className="table flowTable">
      <caption className="visuallyHidden">The components of the pipeline</caption>
      <thead>
        <tr>
          <th scope="col">Component</th>
          <th scope="col" className="number">
            Calls
          </th>
          <th scope="col" className="number">
            Mean
          </th>
          <th scope="col" className="number">
            Max
          </th>
          <th scope="col" className="wide">
            Share of time
          </th>
          <th scope="col" className="number">
            Errors
          </th>
          <th scope="col" className="number">
            Pipes
          </th>
          <th scope="col">Gets from</th>
        </tr>
      </thead>
      <tbody>
        {[...run.components.values()].map(({ about, inside }) => {
          const figures = run.figures.get(about.id);
          return (
            <tr key={about.id} className={selected === about.id ? 'rowSelected' : undefined}>
              <th scope="row">
                {interactive ? (
                  <button
                    type="button"
                    className="rowButton"
                    aria-pressed={selected === about.id}
                    onClick={() => select(about.id)}
                  >
                    {about.title}
                  </button>
                ) : (
                  about.title
                )}
                <span className="muted cellAside">{about.provider}</span>
              </th>
              <td className="number">{formatCount(figures?.calls ?? 0)}</td>
              <td className="number">{formatDuration(figures?.meanSeconds ?? 0)}</td>
              <td className="number">{formatDuration(figures?.maxSeconds ?? 0)}</td>
              <td className="wide">
                <span className="cellBar">
                  <span className="bar" aria-hidden="true">
                    <span className="barFill" style={{ width: barWidth(figures?.share ?? 0) }} />
                  </span>
                  {formatPercent((figures?.share ?? 0) * 100)}
                </span>
              </td>
              <td className={`number${(figures?.errors ?? 0) > 0 ? ' bad' : ''}`}>
                {formatCount(figures?.errors ?? 0)}
              </td>
              <td className="number">{inside.length}</td>
              <td className="links">
                {run.links
                  .filter(({ to }) => to === about.id)
                  .map(({ id, from, names, control, traffic }) => (
                    <span key={id} className="linkText">
                      {control ? `${names.join(', ')} of ` : `${names.join(', ')} from `}
                      {titleOf(from)}
                      {traffic > 0 && <span className="muted"> {formatCount(traffic)}×</span>}
                    </span>
                  ))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
