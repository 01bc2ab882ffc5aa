import {
  type Answer as AnswerData,
  type Doc,
  type DocFilter,
  makeQuestion,
  type Question as QuestionData,
  type QuestionType,
} from '../../../protocol/data.js';
import type { PipelineResult } from '../../../protocol/results.js';
import { createError } from './errors.js';

export interface QuestionOptions {
  /** `question` when absent. */
  type?: QuestionType;
  /** Narrows what is retrieved. */
  filter?: Partial<DocFilter>;
  /** Ask for an answer that is JSON; the result then holds the parsed value. */
  expectJson?: boolean;
  /** Who the model is to be. */
  role?: string;
}

/** Builds a question for `chat`. Every `add…` returns the question itself. */
export class Question {
  readonly #data: QuestionData;

  constructor({ filter, ...options }: QuestionOptions = {}) {
    this.#data = makeQuestion(options);
    Object.assign(this.#data.filter, filter);
  }

  get expectJson(): boolean {
    return this.#data.expectJson;
  }

  set expectJson(value: boolean) {
    this.#data.expectJson = value;
  }

  get role(): string {
    return this.#data.role;
  }

  set role(value: string) {
    this.#data.role = value;
  }

  get filter(): DocFilter {
    return this.#data.filter;
  }

  /** What is asked. */
  addQuestion(text: string): this {
    this.#data.questions.push({ text });
    return this;
  }

  /** How to answer. */
  addInstruction(subtitle: string, instructions: string): this {
    this.#data.instructions.push({ subtitle, instructions });
    return this;
  }

  /** What a good answer looks like; a value that is no text travels as JSON. */
  addExample(given: string, result: unknown): this {
    this.#data.examples.push({ given, result: asText(result) });
    return this;
  }

  /** Facts to answer from; values that are no text travel as JSON. */
  addContext(context: unknown): this {
    const items: unknown[] = Array.isArray(context) ? context : [context];
    this.#data.context.push(...items.map(asText));
    return this;
  }

  addGoal(goal: string): this {
    this.#data.goals.push(goal);
    return this;
  }

  /** What was said before, oldest first. */
  addHistory(message: { role: 'user' | 'system' | 'assistant'; content: string }): this {
    this.#data.history.push({ role: message.role, content: message.content });
    return this;
  }

  addDocuments(documents: Doc | readonly Doc[]): this {
    this.#data.documents.push(...(Array.isArray(documents) ? (documents as Doc[]) : [documents as Doc]));
    return this;
  }

  /** The question as it travels. */
  toJSON(): QuestionData {
    return structuredClone(this.#data);
  }
}

/** One answer of a result. */
export class Answer {
  readonly #data: AnswerData;

  constructor(answer: AnswerData['answer'], expectJson = false) {
    this.#data = { answer, expectJson };
  }

  /** The answers of a chat's result, in order; none when the pipeline gave none. */
  static of(result: PipelineResult): Answer[] {
    const answers: unknown[] = Array.isArray(result.answers) ? result.answers : [];
    return answers.map((answer) => new Answer(answer as AnswerData['answer'], typeof answer !== 'string'));
  }

  get isJson(): boolean {
    return this.#data.expectJson;
  }

  /** The answer as text; a parsed answer is written as JSON. */
  getText(): string {
    return this.#data.answer === null ? '' : asText(this.#data.answer);
  }

  /**
   * The answer as a value. Text is parsed; a fenced block around it is taken off.
   *
   * @throws ValidationError `invalid_argument` when it is not JSON
   */
  getJson(): unknown {
    const { answer } = this.#data;
    if (typeof answer !== 'string') return answer;
    const fenced = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(answer)?.[1];
    try {
      return JSON.parse(fenced ?? answer);
    } catch (cause) {
      throw createError('invalid_argument', 'The answer is not JSON', { cause });
    }
  }

  toJSON(): AnswerData {
    return { ...this.#data };
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
