import type { Direction, Layout } from '../../layout/layOut.js';
import { nodeHeight, nodeWidth } from './geometry.js';

/** How the graph is shown at first: which way it runs, where it stands and how large it is. */
export interface FirstView {
  readonly direction: Direction;
  readonly viewport: { readonly x: number; readonly y: number; readonly zoom: number };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const margin = 24;
/** Smaller cannot be read: a larger pipeline begins at its source and goes on outside of the frame. */
const smallest = 0.55;
/** From left to right is how people read it; downwards must be that much larger to be worth it. */
const advantage = 1.1;

export function firstView(frame: Size, right: Layout, down: Layout): FirstView {
  const direction = fitOf(frame, down) > fitOf(frame, right) * advantage ? 'down' : 'right';
  const layout = direction === 'right' ? right : down;
  const box = boxOf(layout);
  const zoom = Math.max(smallest, fitOf(frame, layout));
  // Centred where there is room, else from the beginning.
  const place = (room: number, from: number, size: number): number =>
    (size * zoom + 2 * margin <= room ? (room - size * zoom) / 2 : margin) - from * zoom;
  return {
    direction,
    viewport: { x: place(frame.width, box.x, box.width), y: place(frame.height, box.y, box.height), zoom },
  };
}

/** The size at which all of it is in the frame, its own size at most. */
function fitOf(frame: Size, layout: Layout): number {
  const { width, height } = boxOf(layout);
  return Math.min(1, (frame.width - 2 * margin) / width, (frame.height - 2 * margin) / height);
}

function boxOf({ nodes }: Layout): Size & { readonly x: number; readonly y: number } {
  const all = [...nodes.values()];
  const x = Math.min(...all.map((node) => node.x));
  const y = Math.min(...all.map((node) => node.y));
  return {
    x,
    y,
    width: Math.max(...all.map((node) => node.x)) + nodeWidth - x,
    height: Math.max(...all.map((node) => node.y)) + nodeHeight - y,
  };
}
