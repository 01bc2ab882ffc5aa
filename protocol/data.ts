/** What travels on the lanes of a pipeline, and in `chat()`. */

export interface DocMetadata {
  objectId: string;
  chunkId: number;
  nodeId?: string;
  /** Path of the object. */
  parent?: string;
  permissionId?: number;
  isDeleted?: boolean;
  isTable?: boolean;
  tableId?: number;
  signature?: string;
  [key: string]: unknown;
}

export interface Doc {
  type: 'Document' | 'Image' | 'Text' | 'Audio' | 'Video';
  page_content: string;
  embedding_model?: string;
  embedding?: number[];
  score?: number;
  highlight_score?: number;
  context?: string[];
  tokens?: number;
  metadata: DocMetadata;
}

export interface DocFilter {
  fullTables: boolean;
  fullDocuments: boolean;
  offset: number;
  limit: number;
  minChunkId: number | null;
  maxChunkId: number | null;
  nodeId: string | null;
  parent: string | null;
  name: string | null;
  permissions: number[] | null;
  isDeleted: boolean | null;
  objectIds: string[] | null;
  chunkIds: number[] | null;
  isTable: boolean | null;
  tableIds: number[] | null;
  useQuickRank: boolean;
  useGroupRank: boolean;
  followUpQuestions: number;
  context: boolean;
}

export type QuestionType = 'question' | 'semantic' | 'keyword' | 'get' | 'prompt' | 'execute' | 'dialect';

export interface Question {
  type: QuestionType;
  filter: DocFilter;
  expectJson: boolean;
  role: string;
  instructions: { subtitle: string; instructions: string }[];
  history: { role: 'user' | 'system' | 'assistant'; content: string }[];
  examples: { given: string; result: string }[];
  context: string[];
  goals: string[];
  documents: Doc[];
  questions: { text: string; embedding_model?: string | null; embedding?: number[] | null }[];
  [key: string]: unknown;
}

export interface Answer {
  answer: string | object | unknown[] | null;
  expectJson: boolean;
}

export function defaultFilter(): DocFilter {
  return {
    fullTables: false,
    fullDocuments: false,
    offset: 0,
    limit: 25,
    minChunkId: null,
    maxChunkId: null,
    nodeId: null,
    parent: null,
    name: null,
    permissions: null,
    isDeleted: null,
    objectIds: null,
    chunkIds: null,
    isTable: null,
    tableIds: null,
    useQuickRank: false,
    useGroupRank: false,
    followUpQuestions: 5,
    context: false,
  };
}

/** A question with every field, `given` over the defaults. Null members of `given` count as absent. */
export function makeQuestion(given: Partial<{ [K in keyof Question]: Question[K] | null }> = {}): Question {
  const { filter, ...rest } = given;
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined));
  return {
    type: 'question',
    expectJson: false,
    role: '',
    instructions: [],
    history: [],
    examples: [],
    context: [],
    goals: [],
    documents: [],
    questions: [],
    ...present,
    filter: { ...defaultFilter(), ...(filter ?? {}) },
  };
}
