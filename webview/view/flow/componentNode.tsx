import type { NodeProps, Node } from '@xyflow/react';
import { Handle, Position } from '@xyflow/react';
import type { KeyboardEvent, ReactNode } from 'react';
import { createContext, use } from 'react';
import type { LiveComponent } from '../../../protocol/liveView.js';
import type { Direction } from '../../layout/layOut.js';
import type { ComponentFigures } from '../../store/components.js';
import { isUntraced } from '../../store/state.js';
import { barWidth, formatCount, formatDuration, formatPercent, plural } from '../format.js';
import { useLive, useLiveView } from '../live.js';
import { useReveal } from './reveal.js';

/** The selection, shared by everything that draws the pipeline. */
export interface Selection {
  readonly selected: string | undefined;
  select(id: string | undefined): void;
}

export const SelectionContext = createContext<Selection>({ selected: undefined, select: () => undefined });

export type ComponentNodeType = Node<{ about: LiveComponent; direction: Direction }, 'component'>;

/** A component of the graph: what it is, what it did, and what part of the time it took. */
export function ComponentNode({ data: { about, direction } }: NodeProps<ComponentNodeType>): ReactNode {
  const { openComponent } = useLiveView();
  const { selected, select } = use(SelectionContext);
  const hasFile = useLive((model) => model.task?.hasFile === true);
  const figures = useLive((model) => model.run?.figures.get(about.id));
  const inside = useLive((model) => model.run?.components.get(about.id)?.inside.length ?? 0);
  const isSource = useLive((model) => model.task?.source === about.id) && (figures?.calls ?? 0) === 0;
  const reveal = useReveal();
  const open = (): void => {
    if (hasFile) openComponent(about.id);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    open();
  };
  return (
    <>
      <Ends direction={direction} />
      <button
        type="button"
        className={`node nopan${inside > 0 ? ' nodeBusy' : ''}${(figures?.errors ?? 0) > 0 ? ' nodeFaulty' : ''}`}
        aria-pressed={selected === about.id}
        aria-label={nodeText(about, figures, inside)}
        onClick={() => select(about.id)}
        onDoubleClick={open}
        onKeyDown={onKey}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(':focus-visible')) reveal(about.id);
        }}
      >
        <span className="nodeTitle" title={about.title}>
          {about.title}
        </span>
        <span className="nodeProvider">{about.provider}</span>
        {isSource ? <SourceFigures /> : <NodeFigures figures={figures} />}
      </button>
    </>
  );
}

function NodeFigures({ figures }: { figures: ComponentFigures | undefined }): ReactNode {
  const calls = figures?.calls ?? 0;
  const untraced = useLive(isUntraced);
  if (untraced) return <span className="nodeFacts muted">Not traced</span>;
  return (
    <>
      <span className="nodeFacts">
        {calls === 0 ? (
          <span className="muted">No calls yet</span>
        ) : (
          <>
            <span>{formatCount(calls)}×</span>
            <span title="Mean time of a call">⌀ {formatDuration(figures?.meanSeconds ?? 0)}</span>
            <span title="Longest call">max {formatDuration(figures?.maxSeconds ?? 0)}</span>
          </>
        )}
      </span>
      <span className="nodeShare">
        <span className="bar">
          <span className="barFill" style={{ width: barWidth(figures?.share ?? 0) }} />
        </span>
        <span className="nodePercent">{formatPercent((figures?.share ?? 0) * 100)}</span>
      </span>
      {(figures?.errors ?? 0) > 0 && <span className="nodeErrors">{plural(figures?.errors ?? 0, 'error')}</span>}
    </>
  );
}

/** Nothing calls the source; what counts is what has come through it. */
function SourceFigures(): ReactNode {
  const objects = useLive(({ status }) => (status?.completedCount ?? 0) + (status?.failedCount ?? 0));
  return <span className="nodeFacts">{plural(objects, 'object')}</span>;
}

/** Where links begin and end: along the flow for data, across it for control. */
function Ends({ direction }: { direction: Direction }): ReactNode {
  const right = direction === 'right';
  return (
    <>
      <Handle id="in" type="target" position={right ? Position.Left : Position.Top} isConnectable={false} />
      <Handle id="out" type="source" position={right ? Position.Right : Position.Bottom} isConnectable={false} />
      <Handle id="used" type="target" position={right ? Position.Top : Position.Left} isConnectable={false} />
      <Handle id="uses" type="source" position={right ? Position.Bottom : Position.Right} isConnectable={false} />
    </>
  );
}

function nodeText(about: LiveComponent, figures: ComponentFigures | undefined, inside: number): string {
  const parts = [about.title, about.provider, plural(figures?.calls ?? 0, 'call')];
  if (figures !== undefined && figures.calls > 0)
    parts.push(
      `mean ${formatDuration(figures.meanSeconds)}`,
      `longest ${formatDuration(figures.maxSeconds)}`,
      `${formatPercent(figures.share * 100)} of the time`,
    );
  if (figures !== undefined && figures.errors > 0) parts.push(plural(figures.errors, 'error'));
  if (inside > 0) parts.push(`${plural(inside, 'pipe')} in it`);
  return parts.join(', ');
}
