import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useCallback } from 'react';
import { nodeHeight, nodeWidth } from './geometry.js';

/** Gives the function that moves the graph so that a component is in sight. Does nothing when it is. */
export function useReveal(): (id: string) => void {
  const graph = useReactFlow();
  const store = useStoreApi();
  return useCallback(
    (id) => {
      const corner = graph.getNode(id)?.position;
      if (corner === undefined) return;
      const { width, height, transform } = store.getState();
      const [x, y, zoom] = transform;
      const [left, top] = [corner.x * zoom + x, corner.y * zoom + y];
      const inSight = left >= 0 && top >= 0 && left + nodeWidth * zoom <= width && top + nodeHeight * zoom <= height;
      if (inSight) return;
      const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
      const centre = { x: corner.x + nodeWidth / 2, y: corner.y + nodeHeight / 2 };
      void graph.setCenter(centre.x, centre.y, { zoom, duration: calm ? 0 : 200 });
    },
    [graph, store],
  );
}
