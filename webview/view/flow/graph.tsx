import { ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import type { ReactNode } from 'react';
import { use, useEffect, useMemo, useRef, useState } from 'react';
import { layOut } from '../../layout/layOut.js';
import type { Direction, Layout } from '../../layout/layOut.js';
import type { LinkModel } from '../../store/components.js';
import type { RunModel } from '../../store/run.js';
import { ComponentNode, SelectionContext } from './componentNode.js';
import type { ComponentNodeType } from './componentNode.js';
import { nodeHeight, nodeWidth, sizesDown, sizesRight } from './geometry.js';
import { LinkEdge } from './linkEdge.js';
import type { LinkEdgeType } from './linkEdge.js';
import { Marks } from './marks.js';

const nodeTypes = { component: ComponentNode };
const edgeTypes = { link: LinkEdge };
/** Narrower panels, as beside a file, show the pipeline downwards. */
const narrow = 620;

/** The pipeline as a graph. Figures and marks are drawn by the parts themselves, so that the graph stays as it is. */
export function Graph({ run }: { run: RunModel }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const direction = useDirection(frame);
  return (
    <div className="graph" ref={frame} role="group" aria-label="The pipeline as a graph">
      {direction !== undefined && (
        <ReactFlowProvider key={direction}>
          <Drawing run={run} direction={direction} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

function Drawing({ run, direction }: { run: RunModel; direction: Direction }): ReactNode {
  const { select } = use(SelectionContext);
  const { layout, nodes, edges } = useMemo(() => draw(run, direction), [run, direction]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      elementsSelectable={false}
      disableKeyboardA11y
      deleteKeyCode={null}
      selectionKeyCode={null}
      zoomOnDoubleClick={false}
      panOnScroll
      minZoom={0.1}
      maxZoom={1.6}
      fitView
      fitViewOptions={{ padding: 0.08, maxZoom: 1 }}
      proOptions={{ hideAttribution: true }}
      onPaneClick={() => select(undefined)}
    >
      <Marks layout={layout} />
      <ZoomButtons />
    </ReactFlow>
  );
}

function ZoomButtons(): ReactNode {
  const graph = useReactFlow();
  return (
    <div className="zoom">
      <button type="button" className="iconButton" aria-label="Zoom in" onClick={() => void graph.zoomIn()}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 3v10M3 8h10" />
        </svg>
      </button>
      <button type="button" className="iconButton" aria-label="Zoom out" onClick={() => void graph.zoomOut()}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 8h10" />
        </svg>
      </button>
      <button
        type="button"
        className="iconButton"
        aria-label="Show the whole pipeline"
        onClick={() => void graph.fitView({ padding: 0.08, maxZoom: 1 })}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 6V3h3m4 0h3v3m0 4v3h-3m-4 0H3v-3" />
        </svg>
      </button>
    </div>
  );
}

interface Drawn {
  readonly layout: Layout;
  readonly nodes: ComponentNodeType[];
  readonly edges: LinkEdgeType[];
}

function draw(run: RunModel, direction: Direction): Drawn {
  const ids = [...run.components.keys()];
  const layout = layOut(ids, run.links, direction, direction === 'right' ? sizesRight : sizesDown);
  return {
    layout,
    nodes: [...run.components.values()].map(({ about }) => ({
      id: about.id,
      type: 'component',
      position: { ...(layout.nodes.get(about.id) ?? { x: 0, y: 0 }) },
      width: nodeWidth,
      height: nodeHeight,
      data: { about, direction },
    })),
    edges: run.links.map((link) => ({
      id: link.id,
      type: 'link',
      source: link.from,
      target: link.to,
      sourceHandle: link.control ? 'uses' : 'out',
      targetHandle: link.control ? 'used' : 'in',
      data: { link, direction, bends: layout.bends.get(link.id) ?? [], label: labelOf(link) },
    })),
  };
}

const labelOf = ({ names }: LinkModel): string => names.join(', ');

function useDirection(frame: { readonly current: HTMLElement | null }): Direction | undefined {
  const [direction, setDirection] = useState<Direction>();
  useEffect(() => {
    if (frame.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const width = entry?.contentRect.width ?? 0;
      if (width > 0) setDirection(width < narrow ? 'down' : 'right');
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  return direction;
}
