/** The pipeline document as people write it. Values here are checked: see structure.ts. */
export interface Pipeline {
  name?: string;
  description?: string;
  project_id?: string;
  /** Id of the entry component. */
  source?: string;
  version?: number;
  components: PipelineComponent[];
  [key: string]: unknown;
}

export interface PipelineComponent {
  id: string;
  provider: string;
  name?: string;
  config: Record<string, unknown>;
  input?: InputLink[];
  control?: ControlLink[];
  [key: string]: unknown;
}

/** Data of `lane` comes from component `from`. */
export interface InputLink {
  from: string;
  lane: string;
}

/** Component `from` (an agent, say) uses this component as its `classType`: llm, tool, memory. */
export interface ControlLink {
  from: string;
  classType: string;
}

/** Lanes a component may consume or produce. */
export const lanes = [
  'tags',
  'text',
  'table',
  'documents',
  'questions',
  'answers',
  'image',
  'audio',
  'video',
  'words',
  'classifications',
  'classificationContext',
  'json',
] as const;
export type Lane = (typeof lanes)[number];

export function isLane(name: unknown): name is Lane {
  return (lanes as readonly unknown[]).includes(name);
}
