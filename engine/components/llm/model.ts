import type { LanguageModel as SdkModel } from 'ai';
import type { Answer, Question } from '../../../protocol/data.js';
import { MillraceError } from '../../../protocol/errors.js';
import { explainFailure } from './failure.js';
import { readJsonReply } from './json.js';
import { renderPrompt } from './prompt.js';
import type { Endpoint } from './providers.js';
import { attempts, type Clock, withRetries } from './retry.js';

/** A model that answers questions: the seam between the components and the SDK. */
export interface LanguageModel {
  /** @throws MillraceError `component_failed`, or `cancelled` when `signal` aborts */
  ask(question: Question, options: AskOptions): Promise<Reply>;
}

export interface AskOptions {
  signal: AbortSignal;
  /** A piece of the reply, as it arrives. */
  onDelta?: ((text: string) => void) | undefined;
  /** The pieces so far are void: the request is made again. */
  onRestart?: ((reason: string) => void) | undefined;
}

export interface Reply {
  answer: Answer;
  usage: Usage;
}

/** Tokens. Estimated where the server does not count. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

export interface ModelOptions {
  endpoint: Endpoint;
  sdkModel: SdkModel;
  /** Tokens. */
  contextLength: number;
  /** Tokens. */
  outputLength: number;
  clock: Clock;
  warn: (message: string) => void;
  log: (line: string) => void;
}

/** How often a reply that must be JSON is asked for. */
const jsonTries = 3;

/** An estimate that holds for most tokenizers without their tables. */
export function countTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 3);
}

/** The function of `ai` that streams; loaded when the component starts. */
type StreamText = (typeof import('ai'))['streamText'];

export async function createLanguageModel(options: ModelOptions): Promise<LanguageModel> {
  const { streamText } = await import('ai');
  const { endpoint, clock, log } = options;
  const warnOnce = once(options.warn);

  async function complete(prompt: string, ask: AskOptions): Promise<Completion> {
    let started = false;
    const onDelta = (text: string): void => {
      started = true;
      ask.onDelta?.(text);
    };
    try {
      return await withRetries(() => stream(streamText, prompt, options, ask.signal, onDelta), {
        judge: (thrown) => explainFailure(thrown, endpoint, clock.now()),
        clock,
        signal: ask.signal,
        onRetry(thrown, next, wait) {
          const reason = explainFailure(thrown, endpoint, clock.now()).message;
          log(`${reason} Attempt ${next} of ${attempts} in ${wait / 1000} s.`);
          if (started) ask.onRestart?.(reason);
          started = false;
        },
      });
    } catch (thrown) {
      if (ask.signal.aborted) throw new MillraceError('cancelled', 'The question was cancelled');
      if (thrown instanceof MillraceError) throw thrown;
      throw new MillraceError('component_failed', explainFailure(thrown, endpoint, clock.now()).message);
    }
  }

  async function text(prompt: string, ask: AskOptions): Promise<Completion> {
    checkLength(prompt);
    const completion = await complete(prompt, ask);
    if (completion.text === '' && completion.finish === undefined) {
      const message = `No reply in the format of OpenAI came from ${endpoint.name} at ${endpoint.baseUrl}. Check the address.`;
      throw new MillraceError('component_failed', message);
    }
    if (completion.finish === 'length') {
      warnOnce(
        'cut',
        `A reply of ${endpoint.model} was cut after ${options.outputLength} tokens; raise \`modelOutputTokens\`.`,
      );
    }
    return completion;
  }

  function checkLength(prompt: string): void {
    const tokens = countTokens(prompt);
    if (tokens + options.outputLength <= options.contextLength) return;
    warnOnce(
      'long',
      `A prompt of about ${tokens} tokens and a reply of up to ${options.outputLength} do not fit the ` +
        `${options.contextLength} tokens of ${endpoint.model}; the model may cut it. Send less, or correct \`modelTotalTokens\`.`,
    );
  }

  async function json(question: Question, ask: AskOptions): Promise<Reply> {
    let usage = noUsage;
    let rejected: string | undefined;
    for (let number = 1; ; number++) {
      const completion = await text(renderPrompt(question, rejected), ask);
      usage = addUsage(usage, completion.usage);
      const reply = readJsonReply(completion.text);
      if ('value' in reply) return { answer: { answer: reply.value, expectJson: true }, usage };
      rejected = endpoint.redact(reply.reason);
      if (number === jsonTries) {
        const message = `${endpoint.model} did not reply with JSON in ${jsonTries} tries: ${rejected}`;
        throw new MillraceError('component_failed', message, { hint: 'Simplify the question or use a larger model.' });
      }
      log(`The reply of ${endpoint.model} was rejected: ${rejected}. Asking again.`);
      ask.onRestart?.(`The reply was rejected: ${rejected}`);
    }
  }

  return {
    async ask(question, ask) {
      const prompt = renderPrompt(question);
      if (prompt === '') {
        throw new MillraceError('component_failed', 'The question is empty: it has no text to send to the model.');
      }
      if (question.expectJson) return json(question, ask);
      const completion = await text(prompt, ask);
      return { answer: { answer: completion.text, expectJson: false }, usage: completion.usage };
    },
  };
}

interface Completion {
  text: string;
  usage: Usage;
  /** The reason the server gave for the end of the reply; undefined when it gave none. */
  finish: string | undefined;
}

async function stream(
  streamText: StreamText,
  prompt: string,
  options: ModelOptions,
  signal: AbortSignal,
  onDelta: (text: string) => void,
): Promise<Completion> {
  const pieces: string[] = [];
  let finish: string | undefined;
  let counted: { inputTokens: number | undefined; outputTokens: number | undefined } | undefined;
  const { fullStream } = streamText({
    model: options.sdkModel,
    messages: [{ role: 'user', content: prompt }],
    temperature: 0,
    maxOutputTokens: options.outputLength,
    maxRetries: 0,
    abortSignal: signal,
    // The error also arrives in the stream; without this the SDK prints it.
    onError: () => undefined,
  });
  for await (const part of fullStream) {
    if (part.type === 'text-delta') {
      pieces.push(part.text);
      onDelta(part.text);
    } else if (part.type === 'error') {
      throw part.error;
    } else if (part.type === 'abort') {
      signal.throwIfAborted();
    } else if (part.type === 'finish') {
      finish = part.rawFinishReason;
      counted = part.totalUsage;
    }
  }
  const text = pieces.join('');
  const inputTokens = counted?.inputTokens ?? countTokens(prompt);
  const outputTokens = counted?.outputTokens ?? countTokens(text);
  return { text, finish, usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
}

const noUsage: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
  };
}

/** Lets the first message of each cause through. */
function once(warn: (message: string) => void): (cause: string, message: string) => void {
  const seen = new Set<string>();
  return (cause, message) => {
    if (seen.has(cause)) return;
    seen.add(cause);
    warn(message);
  };
}
