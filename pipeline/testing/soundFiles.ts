import type { Definition, PlannedProvider } from '../catalogue.js';

/** An agent and a model for it: links of control, a required setting and a profile that was renamed. */
export const agentDefinitions: readonly Definition[] = [
  {
    id: 'test_agent',
    title: 'Agent',
    description: '',
    classType: ['agent'],
    capabilities: [],
    lanes: { questions: ['answers'] },
    control: { takes: { llm: { min: 1, max: 1 }, tool: { min: 0 } }, offers: [] },
    config: {
      type: 'object',
      properties: { goal: { type: 'string' }, steps: { type: 'integer' } },
      required: ['goal'],
    },
  },
  {
    id: 'test_model',
    title: 'Model',
    description: '',
    classType: ['llm'],
    capabilities: [],
    lanes: {},
    control: { takes: {}, offers: ['llm'] },
    config: {
      type: 'object',
      properties: { model: { type: 'string' }, mode: { enum: ['fast', 'good'] }, apikey: { type: 'string' } },
    },
    defaultProfile: 'large',
    profiles: { large: { model: 'large' }, small: { model: 'small' } },
    profileAliases: { larger: 'large' },
    aliases: ['test-model'],
  },
];

export const plannedProvider: PlannedProvider = {
  id: 'test_planned',
  title: 'Planned',
  classType: ['text'],
  lanes: { text: ['text'], questions: ['questions'] },
  instead: 'Use another one.',
};

interface Component {
  id: string;
  provider: string;
  config: Record<string, unknown>;
  input?: { from: string; lane: string }[];
  control?: { from: string; classType: string }[];
}

/** The text of a sound pipeline. The same number gives the same text; numbers near each other differ in shape and in style. */
export function soundFile(number: number): string {
  const components = [documents, questions, agent][number % 3]?.(number) ?? [];
  const source = components[0]?.id;
  const text = write({ name: `Generated ${number}`, source, components }, styles[number % styles.length] ?? json, 0);
  return number % 4 === 1 ? `// A generated pipeline.\n${text}\n` : `${text}\n`;
}

function documents(number: number): Component[] {
  const steps = Array.from({ length: 1 + (number % 4) }, (_, at) => `mask_${at}`);
  const last = steps.at(-1) ?? '';
  return [
    { id: 'upload', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'reader', provider: 'parse', config: {}, input: [{ from: 'upload', lane: 'tags' }] },
    ...steps.map((id, at): Component => ({
      id,
      provider: 'anonymize_text',
      config: { profile: 'glinerSmall', glinerSmall: { anonymizeChar: '*' } },
      input: [{ from: at === 0 ? 'reader' : `mask_${at - 1}`, lane: 'text' }],
    })),
    {
      id: 'chunks',
      provider: 'preprocessor_langchain',
      config: { profile: 'default', default: { mode: 'strlen' } },
      input: [{ from: last, lane: 'text' }],
    },
    {
      id: 'masked',
      provider: 'response_text',
      config: { laneName: 'masked' },
      input: [{ from: last, lane: 'text' }],
    },
    { id: 'result', provider: 'response_documents', config: {}, input: [{ from: 'chunks', lane: 'documents' }] },
  ];
}

function questions(number: number): Component[] {
  const guards = Array.from({ length: 1 + (number % 3) }, (_, at) => `guard_${at}`);
  return [
    { id: 'talk', provider: 'chat', config: { mode: 'Source' } },
    ...guards.map((id, at): Component => ({
      id,
      provider: 'guardrails',
      config: { profile: 'strict', strict: { policy_mode: 'block', blocked_topics: ['password'] } },
      input: [{ from: at === 0 ? 'talk' : `guard_${at - 1}`, lane: 'questions' }],
    })),
    {
      id: 'writer',
      provider: 'llm_openai_api',
      config: {
        profile: 'custom',
        custom: { base_url: '${MILLRACE_LLM_URL}', model: 'large', apikey: '${MILLRACE_LLM_KEY}' },
      },
      input: [{ from: guards.at(-1) ?? '', lane: 'questions' }],
    },
    { id: 'result', provider: 'response_answers', config: {}, input: [{ from: 'writer', lane: 'answers' }] },
  ];
}

function agent(number: number): Component[] {
  return [
    { id: 'talk', provider: 'chat', config: { mode: 'Source' } },
    {
      id: 'worker',
      provider: 'test_agent',
      config: { goal: `Goal ${number}`, steps: 3 },
      input: [{ from: 'talk', lane: 'questions' }],
    },
    {
      id: 'brain',
      provider: 'test_model',
      config: { profile: 'large', large: { mode: 'fast', apikey: '${MILLRACE_LLM_KEY}' } },
      control: [{ from: 'worker', classType: 'llm' }],
    },
    { id: 'result', provider: 'response_answers', config: {}, input: [{ from: 'worker', lane: 'answers' }] },
  ];
}

interface Style {
  readonly quote: string;
  readonly quoteKeys: boolean;
  readonly trailingCommas: boolean;
  /** Objects and lists from this level on stand on one line. */
  readonly flatFrom: number;
  readonly lineBreak: string;
}

const json: Style = { quote: '"', quoteKeys: true, trailingCommas: false, flatFrom: 9, lineBreak: '\n' };
const styles: readonly Style[] = [
  json,
  { quote: "'", quoteKeys: false, trailingCommas: true, flatFrom: 2, lineBreak: '\n' },
  { ...json, flatFrom: 3 },
  { quote: "'", quoteKeys: false, trailingCommas: true, flatFrom: 9, lineBreak: '\r\n' },
  { ...json, quoteKeys: false, flatFrom: 4 },
];

function write(value: unknown, style: Style, level: number): string {
  if (typeof value === 'string') return `${style.quote}${value}${style.quote}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const inner = Object.entries(value).map(([key, member]) => {
    const name = style.quoteKeys ? `"${key}": ` : `${key}: `;
    return `${isList ? '' : name}${write(member, style, level + 1)}`;
  });
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (inner.length === 0) return `${open}${close}`;
  if (level >= style.flatFrom) return isList ? `[${inner.join(', ')}]` : `{ ${inner.join(', ')} }`;
  const indent = `${style.lineBreak}${'  '.repeat(level + 1)}`;
  const end = style.trailingCommas ? ',' : '';
  return `${open}${indent}${inner.join(`,${indent}`)}${end}${style.lineBreak}${'  '.repeat(level)}${close}`;
}
