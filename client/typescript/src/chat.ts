import { makeQuestion, type Question as QuestionData } from '../../../protocol/data.js';
import { questionMimeType } from '../../../protocol/limits.js';
import type { PipelineResult } from '../../../protocol/results.js';
import { isRecord } from '../../../pipeline/values.js';
import { settleFailedPipe, type DataSender } from './data.js';
import { createError } from './errors.js';
import { Question } from './question.js';
import { checkedToken } from './tasks.js';

export interface ChatOptions {
  /** Token of a task whose source is a `chat` component. */
  token: string;
  /** A Question, its fields, or simply the text. */
  question: Question | Partial<QuestionData> | string;
  /** Messages of components while they answer, for example pieces of the answer as they come. */
  onEvent?: ((type: string, data: Record<string, unknown>) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** Asks questions, one object each. */
export class Chats {
  readonly #data: DataSender;
  #asked = 0;

  constructor(data: DataSender) {
    this.#data = data;
  }

  async chat({ token, question, onEvent, signal }: ChatOptions): Promise<PipelineResult> {
    const payload = new TextEncoder().encode(JSON.stringify(questionOf(question)));
    const object = {
      token: checkedToken(token),
      objinfo: { name: `Question ${++this.#asked}` },
      mimeType: questionMimeType,
      provider: 'chat',
      signal,
    };
    if (onEvent === undefined) return this.#data.sendBytes(payload, object);
    const pipe = await this.#data.pipe({ ...object, onEvent }).open();
    try {
      await pipe.write(payload);
    } catch (error) {
      return settleFailedPipe(pipe, error);
    }
    return pipe.close();
  }
}

function questionOf(given: unknown): QuestionData {
  if (given instanceof Question) return given.toJSON();
  if (typeof given === 'string' && given !== '') return new Question().addQuestion(given).toJSON();
  if (isRecord(given)) return makeQuestion(given);
  throw createError('invalid_argument', 'The question must be a Question, an object or a text that is not empty');
}
