import type { LanguageModel as SdkModel } from 'ai';
import { MillraceError } from '../../../protocol/errors.js';
import type { LlmConfig } from './definition.js';

/** Where a model answers, and the words for what can go wrong there. */
export interface Endpoint {
  /** Name in the middle of a message. */
  name: string;
  baseUrl: string;
  /** Parameters of every request's address; kept apart as they may hold secrets. */
  query: Record<string, string>;
  model: string;
  /** `''` when there is none. */
  apikey: string;
  /** What a person should do when … */
  advice: {
    unreachable: string;
    /** 401, 403 */
    refused: string;
    /** 404 */
    missing: string;
    /** 3xx */
    moved: string;
  };
  /** Takes the key out of a text. */
  redact(text: string): string;
}

/** One kind of LLM endpoint. A provider that speaks another API differs in these two functions only. */
export interface LlmProvider {
  /** Reads the configuration. @throws MillraceError `start_failed` that names the member to correct */
  endpoint(config: LlmConfig): Endpoint;
  /** Loads the SDK of the provider; its requests go through `fetch`. */
  connect(endpoint: Endpoint, fetch: typeof globalThis.fetch): Promise<SdkModel>;
}

export const llmProviders: Readonly<Record<string, LlmProvider>> = {
  llm_openai_api: {
    endpoint(config) {
      const url = httpUrl('base_url', config.base_url, 'https://api.example.com/v1');
      const apikey = (config.apikey ?? '').trim();
      return {
        name: 'the endpoint',
        ...address(url),
        model: modelName(config, 'the name of a model as the endpoint knows it'),
        apikey,
        advice: {
          unreachable: 'Check `base_url` and that the server is running.',
          refused: apikey === '' ? 'It wants a key: set `apikey`.' : 'Check `apikey`.',
          missing: 'Check `model` and `base_url`, which usually ends in `/v1`.',
          moved: 'Use the address it redirects to as `base_url`.',
        },
        redact: redactor(apikey),
      };
    },
    connect: connectOpenAiCompatible,
  },
  llm_ollama: {
    endpoint(config) {
      const url = httpUrl('serverbase', config.serverbase, 'http://localhost:11434');
      if (!/\/v1\/*$/.test(url.pathname)) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1`;
      const { baseUrl, query } = address(url);
      const model = modelName(config, 'the name of a model as `ollama list` shows it');
      return {
        name: 'Ollama',
        baseUrl,
        query,
        model,
        apikey: '',
        advice: {
          unreachable: `Is Ollama running at ${baseUrl}? Start it with \`ollama serve\`.`,
          refused: 'A proxy in front of Ollama may ask for a login; point `serverbase` at Ollama itself.',
          missing: `Get it with \`ollama pull ${model}\`.`,
          moved: 'Use the address it redirects to as `serverbase`.',
        },
        redact: (text) => text,
      };
    },
    connect: connectOpenAiCompatible,
  },
};

/** The SDK is heavy, so it is loaded with the first pipeline that asks a model. */
async function connectOpenAiCompatible(endpoint: Endpoint, fetch: typeof globalThis.fetch): Promise<SdkModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: 'openaiCompatible',
    baseURL: endpoint.baseUrl,
    queryParams: endpoint.query,
    includeUsage: true,
    fetch,
    ...(endpoint.apikey === '' ? {} : { apiKey: endpoint.apikey }),
  });
  return provider.chatModel(endpoint.model);
}

function modelName(config: LlmConfig, what: string): string {
  const model = (config.model ?? '').trim();
  if (model === '') throw new MillraceError('start_failed', `No model is set. Set \`model\` to ${what}.`);
  return model;
}

function httpUrl(member: string, given: string | undefined, example: string): URL {
  const text = (given ?? '').trim();
  if (text === '') throw new MillraceError('start_failed', `Set \`${member}\`, for example \`${example}\`.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    const message = `\`${member}\` is not an address. Write it with http:// or https://, for example \`${example}\`.`;
    throw new MillraceError('start_failed', message);
  }
  if (url.username !== '' || url.password !== '') {
    throw new MillraceError('start_failed', `\`${member}\` contains a user name or password. Take it out.`);
  }
  return url;
}

function address(url: URL): { baseUrl: string; query: Record<string, string> } {
  return {
    baseUrl: url.origin + url.pathname.replace(/\/+$/, ''),
    query: Object.fromEntries(url.searchParams),
  };
}

function redactor(secret: string): (text: string) => string {
  return secret === '' ? (text) => text : (text) => text.replaceAll(secret, '***');
}
