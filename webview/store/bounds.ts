/** How much the live view remembers. Together they keep its memory flat however long a task runs. */
export interface Bounds {
  /** Values of one sparkline. */
  readonly samples: number;
  readonly objects: number;
  /** Steps of all objects together. */
  readonly spans: number;
  /** Steps of one object; later ones are only counted. */
  readonly spansPerObject: number;
  /** Recent inputs, and as many outputs, of one component. */
  readonly recent: number;
  /** Errors, and as many warnings. */
  readonly notes: number;
  /** Ranges of lost events. */
  readonly lost: number;
  /** Objects that were asked for one by one. */
  readonly traces: number;
  /** Pipes that are followed. */
  readonly pipes: number;
  readonly nameChars: number;
  readonly dataChars: number;
  readonly resultChars: number;
  readonly noteChars: number;
}

export const defaultBounds: Bounds = {
  samples: 300,
  objects: 2000,
  spans: 40_000,
  spansPerObject: 400,
  recent: 20,
  notes: 300,
  lost: 50,
  traces: 20,
  pipes: 256,
  nameChars: 300,
  dataChars: 240,
  resultChars: 1000,
  noteChars: 2000,
};
