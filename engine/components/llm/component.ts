import type { Component, PipeContext } from '../../runtime/component.js';
import { MillraceError } from '../../../protocol/errors.js';
import type { LlmConfig } from './definition.js';
import { type AskOptions, countTokens, createLanguageModel } from './model.js';
import { llmProviders } from './providers.js';
import { type Clock, systemClock } from './retry.js';

const defaultContextLength = 16384;
const defaultOutputLength = 4096;
const leastOutputLength = 1024;

/**
 * Questions → answers, and the `llm` channel for agents. The reply to a question on the lane is streamed to the
 * client as `delta` events, void after a `restart` event, and ends with one `done` event.
 */
export function makeLlmComponent(clock: Clock): Component<LlmConfig> {
  return {
    async start(context) {
      const provider = llmProviders[context.provider];
      if (provider === undefined) {
        throw new MillraceError('provider_unknown', `No language model is known as ${context.provider}`);
      }
      const { config } = context;
      const endpoint = provider.endpoint(config);
      if (endpoint.apikey.startsWith('${')) {
        context.warn('`apikey` is a placeholder that was not replaced. Set the variable it names.');
      }
      const contextLength = config.modelTotalTokens ?? defaultContextLength;
      const outputLength = Math.max(config.modelOutputTokens ?? defaultOutputLength, leastOutputLength);
      const model = await createLanguageModel({
        endpoint,
        sdkModel: await provider.connect(endpoint, fetchWithoutRedirects),
        contextLength,
        outputLength,
        clock,
        warn: (message) => context.warn(message),
        log: (line) => context.log(line),
      });

      return {
        pipe: (pipe) => ({
          lanes: {
            async questions(question) {
              const { answer, usage } = await model.ask(question, streamingTo(pipe));
              pipe.sse('done', { usage });
              await pipe.emit.answers(answer);
            },
          },
          offers: {
            llm: {
              ask: async (question) => (await model.ask(question, { signal: pipe.signal })).answer,
              contextLength: () => contextLength,
              outputLength: () => outputLength,
              countTokens,
            },
          },
        }),
      };
    },
  };
}

export const component = makeLlmComponent(systemClock);

function streamingTo(pipe: PipeContext): AskOptions {
  return {
    signal: pipe.signal,
    onDelta: (text) => pipe.sse('delta', { text }),
    onRestart: (reason) => pipe.sse('restart', { reason }),
  };
}

/** A request goes to the configured address and nowhere else. */
const fetchWithoutRedirects: typeof globalThis.fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' });
