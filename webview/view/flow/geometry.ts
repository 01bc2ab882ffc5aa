import type { LayoutSizes } from '../../layout/layOut.js';

/** Sizes of the drawing, the same in the layout and the style sheet. */
export const nodeWidth = 212;
export const nodeHeight = 96;

export const sizesRight: LayoutSizes = { width: nodeWidth, height: nodeHeight, columnGap: 92, rowGap: 36 };
export const sizesDown: LayoutSizes = { width: nodeWidth, height: nodeHeight, columnGap: 60, rowGap: 36 };

/** Pipes that are drawn one by one on a component; more are a number. */
export const mostMarks = 10;
const markStep = 14;

/** Where the mark of a pipe stands, from the upper left corner of its component. */
export function markOffset(place: number): { x: number; y: number } {
  return { x: 14 + Math.min(place, mostMarks) * markStep, y: 0 };
}
