import type { ReactNode } from 'react';
import { useState } from 'react';
import type { Span, TraceObject } from '../store/objects.js';
import { formatClock, formatDuration, plural } from './format.js';
import { useLive } from './live.js';
import { ObjectName, ToneIcon } from './parts.js';
import { SpanScale, isHousekeeping, outcomeOf } from './spans.js';

/** The way of one object through the pipeline: each call of a component as a bar on a common scale of time. */
export function Waterfall({ object }: { object: TraceObject }): ReactNode {
  const run = useLive((model) => model.run);
  const [all, setAll] = useState(false);
  const shown = all ? object.spans : object.spans.filter((span, at) => !isHousekeeping(span, object.spans[at + 1]));
  const scale = new SpanScale(object);
  const hidden = object.spans.length - shown.length;
  const { label, tone } = outcomeOf(object);
  return (
    <article className="waterfall" aria-label={`Trace of ${object.name}`}>
      <div className="waterfallHead">
        <h2>
          <ObjectName name={object.name} />
        </h2>
        <p className="waterfallFacts">
          <span className="pill">
            <ToneIcon tone={tone} />
            {label}
          </span>
          {object.end !== undefined && <span>{formatDuration(object.end - object.begin)}</span>}
          <span className="muted">began {formatClock(object.begin)}</span>
          <span className="muted">pipe {object.pipe}</span>
        </p>
      </div>
      {object.error !== undefined && <pre className="data dataError">{object.error}</pre>}
      {object.spans.length === 0 && <p className="muted">No component has been called for it so far.</p>}
      <ol className="spans">
        {shown.map((span, at) => (
          <SpanRow
            key={at}
            span={span}
            scale={scale}
            title={run?.components.get(span.component)?.about.title ?? span.component}
          />
        ))}
      </ol>
      {object.moreSpans > 0 && <p className="muted">{plural(object.moreSpans, 'more step')} not kept.</p>}
      {(hidden > 0 || all) && (
        <button type="button" className="linkButton" aria-pressed={all} onClick={() => setAll(!all)}>
          {all ? 'Hide opening and closing' : `Show ${plural(hidden, 'step')} of opening and closing`}
        </button>
      )}
      {object.result !== '' && (
        <>
          <h3>Result</h3>
          <pre className="data">{object.result}</pre>
        </>
      )}
    </article>
  );
}

function SpanRow({ span, scale, title }: { span: Span; scale: SpanScale; title: string }): ReactNode {
  const elapsed = span.end === undefined ? undefined : span.end - span.begin;
  const state = span.error !== undefined ? ' spanFailed' : elapsed === undefined ? ' spanOpen' : '';
  return (
    <li>
      <details className="span">
        <summary className="spanRow">
          <span className="spanName" style={{ paddingInlineStart: `${Math.min(span.depth, 8) * 12}px` }} title={title}>
            {title}
          </span>
          <span className="lane">{span.lane}</span>
          <span className="spanTrack" aria-hidden="true">
            <span className={`spanBar${state}`} style={{ ...scale.bar(span) }} />
            {scale.own(span).map((part) => (
              <span key={part.left} className={`spanBar spanOwn${state}`} style={{ ...part }} />
            ))}
          </span>
          <span className="spanTime">{elapsed === undefined ? '…' : formatDuration(elapsed)}</span>
        </summary>
        <div className="spanBody">
          {span.error !== undefined && <pre className="data dataError">{span.error}</pre>}
          {span.data === '' ? (
            <p className="muted">No data was recorded for this step.</p>
          ) : (
            <pre className="data">{span.data}</pre>
          )}
        </div>
      </details>
    </li>
  );
}
