import type { ReactNode } from 'react';
import { useDeferredValue, useMemo, useState } from 'react';
import type { TraceObject } from '../store/objects.js';
import { isUntraced } from '../store/state.js';
import { formatClock, formatCount, formatDuration, plural } from './format.js';
import { useCalm, useLive } from './live.js';
import { Empty, ObjectName, ToneIcon } from './parts.js';
import { IdleFacts } from './idleFacts.js';
import { outcomeOf } from './spans.js';
import { ObjectSearch, outcomes } from './traceFilter.js';
import type { Outcome } from './traceFilter.js';
import { VirtualList } from './virtualList.js';
import { Waterfall } from './waterfall.js';

const outcomeTitles: Record<Outcome, string> = { all: 'All objects', failed: 'Failed', open: 'In progress' };

/** The objects as they come, and what happened to each. */
export function TraceTab(): ReactNode {
  const run = useLive((model) => model.run);
  const untraced = useLive(isUntraced);
  if (untraced || run === undefined)
    return untraced ? (
      <Empty title="This run is not traced">Start it with a trace level to follow its objects step by step.</Empty>
    ) : (
      <Empty title="Waiting for the pipeline" />
    );
  return (
    <div className="trace">
      <IdleFacts />
      <Objects />
    </div>
  );
}

function Objects(): ReactNode {
  const run = useLive((model) => model.run);
  const ended = useLive((model) => model.ended);
  const version = useCalm(
    useLive((model) => model.run?.objects.version ?? 0),
    250,
  );
  const [text, setText] = useState('');
  const [outcome, setOutcome] = useState<Outcome>('all');
  const [chosen, setChosen] = useState<TraceObject>();
  const [held, setHeld] = useState<readonly TraceObject[]>();
  const [releases, setReleases] = useState(0);
  const wanted = useDeferredValue(text);
  const search = useMemo(() => new ObjectSearch({ text: wanted, outcome }), [wanted, outcome]);
  const found = useMemo(
    () => (run === undefined || version < 0 ? [] : search.search(run.objects)),
    [run, search, version],
  );
  // Who has scrolled down reads: the list stands still until it is at its top again.
  const items = held ?? found;
  const newer = held !== undefined && (found[0]?.beginSeq ?? 0) > (held[0]?.beginSeq ?? 0);
  const slowest = useMemo(
    () => items.slice(0, 500).reduce((most, object) => Math.max(most, elapsedOf(object) ?? 0), 0),
    [items],
  );
  const release = (): void => {
    setHeld(undefined);
    setReleases((count) => count + 1);
  };
  const change = (act: () => void): void => {
    release();
    act();
  };
  return (
    <>
      <div className="toolbar traceTools">
        <input
          className="input"
          type="search"
          placeholder="Filter by name, error or text"
          aria-label="Filter by name, error or text"
          value={text}
          onChange={({ currentTarget: { value } }) => change(() => setText(value))}
        />
        <select
          className="input"
          aria-label="Which objects"
          value={outcome}
          onChange={({ currentTarget: { value } }) =>
            change(() => setOutcome(outcomes.find((each) => each === value) ?? 'all'))
          }
        >
          {outcomes.map((each) => (
            <option key={each} value={each}>
              {outcomeTitles[each]}
            </option>
          ))}
        </select>
        <span className="muted traceCount">{countText(items.length, run?.objects.length ?? 0)}</span>
      </div>
      <div className="traceBody">
        <div className="traceList">
          {newer && (
            <button type="button" className="button newer" onClick={release}>
              Show newer objects
            </button>
          )}
          {items.length === 0 ? (
            <NoObjects filtered={(run?.objects.length ?? 0) > 0} ended={ended} />
          ) : (
            <VirtualList
              // A list that is released begins at its top again.
              key={releases}
              items={items}
              rowHeight={30}
              label="Objects, newest first"
              keyOf={({ beginSeq }) => beginSeq}
              selected={chosen}
              onSelect={setChosen}
              onTop={(top) => setHeld(top ? undefined : (before) => before ?? items)}
              row={(object) => <ObjectRow object={object} slowest={slowest} />}
            />
          )}
        </div>
        {chosen !== undefined && (
          <div className="traceDetail" tabIndex={0} role="region" aria-label="The chosen object">
            <Waterfall key={chosen.beginSeq} object={chosen} />
          </div>
        )}
      </div>
    </>
  );
}

function ObjectRow({ object, slowest }: { object: TraceObject; slowest: number }): ReactNode {
  const { label, tone } = outcomeOf(object);
  const elapsed = elapsedOf(object);
  return (
    <>
      <ToneIcon tone={tone} />
      <ObjectName name={object.name} />
      <span className="visuallyHidden">{label}</span>
      <span className="objectSteps muted">{plural(object.spans.length + object.moreSpans, 'step')}</span>
      <span className="objectClock muted">{formatClock(object.begin)}</span>
      <span className="bar objectBar" aria-hidden="true">
        <span
          className={`barFill${object.error === undefined ? '' : ' barBad'}`}
          style={{ width: slowest > 0 ? `${(((elapsed ?? 0) / slowest) * 100).toFixed(1)}%` : '0%' }}
        />
      </span>
      <span className="objectTime">{elapsed === undefined ? '…' : formatDuration(elapsed)}</span>
    </>
  );
}

function NoObjects({ filtered, ended }: { filtered: boolean; ended: boolean }): ReactNode {
  if (filtered) return <Empty title="No object matches">Change the filter to see others.</Empty>;
  return ended ? (
    <Empty title="This run had no objects" />
  ) : (
    <Empty title="No objects yet">They appear here as soon as something is sent to the pipeline.</Empty>
  );
}

const elapsedOf = ({ begin, end }: TraceObject): number | undefined => (end === undefined ? undefined : end - begin);

function countText(shown: number, kept: number): string {
  return shown === kept ? plural(kept, 'object') : `${formatCount(shown)} of ${plural(kept, 'object')}`;
}
