import { ReactFlow, ReactFlowProvider, useReactFlow, useStore } from '@xyflow/react';
import type { Viewport } from '@xyflow/react';
import type { ReactNode } from 'react';
import { use, useEffect, useMemo, useRef, useState } from 'react';
import { layOut } from '../../layout/layOut.js';
import type { Direction, Layout } from '../../layout/layOut.js';
import type { LinkModel } from '../../store/components.js';
import type { RunModel } from '../../store/run.js';
import { ComponentNode, SelectionContext } from './componentNode.js';
import type { ComponentNodeType } from './componentNode.js';
import { firstView } from './firstView.js';
import type { FirstView } from './firstView.js';
import { nodeHeight, nodeWidth, sizesDown, sizesRight } from './geometry.js';
import { useReveal } from './reveal.js';
import { LinkEdge } from './linkEdge.js';
import type { LinkEdgeType } from './linkEdge.js';
import { Marks } from './marks.js';

const nodeTypes = { component: ComponentNode };
const edgeTypes = { link: LinkEdge };
/** The pipeline as a graph. Figures and marks are drawn by the parts themselves, so that the graph stays as it is. */
export function Graph({ run }: { run: RunModel }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const both = useMemo(() => ({ right: draw(run, 'right'), down: draw(run, 'down') }), [run]);
  const first = useFirstView(frame, both);
  return (
    <div className="graph" ref={frame} role="group" aria-label="The pipeline as a graph">
      {first !== undefined && (
        <ReactFlowProvider key={first.direction}>
          <Drawing drawn={both[first.direction]} viewport={first.viewport} />
        </ReactFlowProvider>
      )}
    </div>
  );
}

function Drawing({ drawn, viewport }: { drawn: Drawn; viewport: Viewport }): ReactNode {
  const { selected, select } = use(SelectionContext);
  const { layout, nodes, edges } = drawn;
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
      defaultViewport={viewport}
      proOptions={{ hideAttribution: true }}
      onPaneClick={() => select(undefined)}
    >
      <Marks layout={layout} />
      <RevealSelected id={selected} />
      <ZoomButtons />
    </ReactFlow>
  );
}

/** Keeps the selected component in sight when its panel takes room from the graph. */
function RevealSelected({ id }: { id: string | undefined }): ReactNode {
  const reveal = useReveal();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  useEffect(() => {
    if (id !== undefined) reveal(id);
  }, [id, width, height, reveal]);
  return null;
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

/** The direction in which the pipeline is larger in the frame, chosen again when the frame changes its shape. */
function useFirstView(
  frame: { readonly current: HTMLElement | null },
  drawn: Record<Direction, Drawn>,
): FirstView | undefined {
  const [first, setFirst] = useState<FirstView>();
  useEffect(() => {
    // The room of graph and side panel together, so that opening the panel does not turn the graph.
    const room = frame.current?.closest('.flow');
    if (!room) return undefined;
    const observer = new ResizeObserver(() => {
      const { width } = room.getBoundingClientRect();
      const height = frame.current?.clientHeight ?? 0;
      if (width === 0 || height === 0) return;
      const next = firstView({ width, height }, drawn.right.layout, drawn.down.layout);
      // The view of a person stays; only another direction begins anew.
      setFirst((before) => (before?.direction === next.direction ? before : next));
    });
    observer.observe(room);
    return () => observer.disconnect();
  }, [frame, drawn]);
  return first;
}
