import type { KeyboardEvent, ReactNode } from 'react';
import { useMemo, useState } from 'react';
import { plural } from '../format.js';
import { useLive, useLiveView } from '../live.js';
import { Empty } from '../parts.js';
import { ComponentPanel } from './componentPanel.js';
import { SelectionContext } from './componentNode.js';
import { FlowTable } from './flowTable.js';
import { Graph } from './graph.js';

const kinds = ['graph', 'table'] as const;
const kindTitles = { graph: 'Graph', table: 'Table' };

/** The pipeline at work, as a graph or as a table. */
export function FlowTab(): ReactNode {
  const { saved, save } = useLiveView();
  const run = useLive((model) => model.run);
  const [selected, setSelected] = useState<string>();
  const selection = useMemo(() => ({ selected, select: setSelected }), [selected]);
  if (run === undefined) return <Empty title="Waiting for the pipeline" />;
  if (run.components.size === 0)
    return <Empty title="The components are not known">The server does not tell which components this run has.</Empty>;
  const known = selected !== undefined && run.components.has(selected);
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setSelected(undefined);
  };
  return (
    <SelectionContext value={selection}>
      <div className={`flow${known ? ' flowSplit' : ''}`} onKeyDown={closeOnEscape}>
        <div className="toolbar">
          <div className="switch" role="group" aria-label="Show the pipeline as">
            {kinds.map((kind) => (
              <button
                key={kind}
                type="button"
                className="switchButton"
                aria-pressed={saved.flowAs === kind}
                onClick={() => save({ flowAs: kind })}
              >
                {kindTitles[kind]}
              </button>
            ))}
          </div>
          <span className="muted">{plural(run.components.size, 'component')}</span>
        </div>
        <div className="flowBody">
          {saved.flowAs === 'graph' ? (
            <>
              <Graph run={run} />
              <div className="visuallyHidden">
                <FlowTable run={run} interactive={false} />
              </div>
            </>
          ) : (
            <div className="scroll" tabIndex={0} role="region" aria-label="The pipeline as a table">
              <FlowTable run={run} interactive />
            </div>
          )}
        </div>
        {known && <ComponentPanel id={selected} onClose={() => setSelected(undefined)} />}
      </div>
    </SelectionContext>
  );
}
