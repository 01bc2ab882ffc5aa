import { Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

/** The resolved configuration of every `llm_*` provider; each provider reads the members it knows. */
export interface LlmConfig {
  model?: string;
  /** Endpoint of an OpenAI-compatible server, up to and including the version, for example `https://host/v1`. */
  base_url?: string;
  /** Address of an Ollama server; `/v1` may be left out. */
  serverbase?: string;
  apikey?: string;
  /** Tokens the model reads and writes in one request. */
  modelTotalTokens?: number;
  /** Tokens of the longest reply. */
  modelOutputTokens?: number;
}

const tokens = {
  modelTotalTokens: Type.Optional(
    Type.Number({
      title: 'Context length',
      description: 'Tokens the model can take in and write in one request.',
      minimum: 1,
      default: 16384,
    }),
  ),
  modelOutputTokens: Type.Optional(
    Type.Number({
      title: 'Longest reply',
      description: 'Tokens of the longest reply; at least 1024.',
      minimum: 1,
      default: 4096,
    }),
  ),
};

const shared = {
  classType: ['llm'],
  capabilities: ['invoke'],
  lanes: { questions: ['answers'] },
  control: { takes: {}, offers: ['llm'] },
} as const satisfies Partial<Definition>;

const openaiApi: Definition = {
  ...shared,
  id: 'llm_openai_api',
  title: 'OpenAI-Compatible API',
  description:
    'Asks a model behind any OpenAI-compatible endpoint, of a cloud vendor or on your own machine. ' +
    'Emits one answer per question.',
  config: Type.Object({
    model: Type.Optional(Type.String({ title: 'Model', description: 'Name of the model as the endpoint knows it.' })),
    base_url: Type.Optional(
      Type.String({
        title: 'Base URL',
        description: 'Address of the endpoint without `/chat/completions`, for example `https://api.example.com/v1`.',
      }),
    ),
    apikey: Type.Optional(
      Type.String({
        title: 'API key',
        description: 'Key of the endpoint; may be empty when it needs none.',
        writeOnly: true,
      }),
    ),
    ...tokens,
  }),
  defaultProfile: 'custom',
  profiles: { custom: { model: '', base_url: '', modelTotalTokens: 32768, apikey: '' } },
};

const ollamaBase = 'http://localhost:11434/v1';

function ollamaProfile(model: string, modelTotalTokens: number): Readonly<Record<string, unknown>> {
  return { model, serverbase: ollamaBase, modelTotalTokens };
}

const ollama: Definition = {
  ...shared,
  id: 'llm_ollama',
  title: 'Ollama',
  description: 'Asks a model that Ollama serves, usually on your own machine. Emits one answer per question.',
  config: Type.Object({
    model: Type.Optional(Type.String({ title: 'Model', description: 'Name of the model, as `ollama list` shows it.' })),
    serverbase: Type.Optional(
      Type.String({
        title: 'Server',
        description: 'Address of the Ollama server; `/v1` is added when it is missing.',
        default: ollamaBase,
      }),
    ),
    ...tokens,
  }),
  defaultProfile: 'llama3_3',
  profiles: {
    custom: ollamaProfile('', 16385),
    llama3_3: ollamaProfile('llama3.3:latest', 128000),
    'llama3_1-8b': ollamaProfile('llama3.1:8b', 128000),
    'llama3_1-70b': ollamaProfile('llama3.1:70b', 128000),
    'llama3_1-405b': ollamaProfile('llama3.1:405b', 128000),
    'phi4-14b': ollamaProfile('phi4', 16000),
    'llama3_2-3b': ollamaProfile('llama3.2', 128000),
    'llama3_2-1b': ollamaProfile('llama3.2:1b', 128000),
    'llama4-latest': ollamaProfile('llama4:latest', 10000000),
    'mistral-7b': ollamaProfile('mistral', 32000),
    'qwen2_5-7b': ollamaProfile('qwen2.5', 128000),
    'qwen2_5-0_5b': ollamaProfile('qwen2.5:0.5b', 128000),
    'qwen2_5-1_5b': ollamaProfile('qwen2.5:1.5b', 128000),
    'qwen2_5-3b': ollamaProfile('qwen2.5:3b', 128000),
    'qwen2_5-14b': ollamaProfile('qwen2.5:14b', 128000),
    'qwen2_5-32b': ollamaProfile('qwen2.5:32b', 128000),
    'qwen2_5-72b': ollamaProfile('qwen2.5:72b', 128000),
    'qwen3-latest': ollamaProfile('qwen3:latest', 128000),
    'deepseek-r1-1_5b': ollamaProfile('deepseek-r1:1.5b', 128000),
    'deepseek-r1-7b': ollamaProfile('deepseek-r1:7b', 128000),
    'deepseek-r1-14b': ollamaProfile('deepseek-r1:14b', 128000),
    'deepseek-r1-32b': ollamaProfile('deepseek-r1:32b', 128000),
    'deepseek-r1-671b': ollamaProfile('deepseek-r1:671b', 128000),
  },
};

export const llmDefinitions: readonly Definition[] = [openaiApi, ollama];
