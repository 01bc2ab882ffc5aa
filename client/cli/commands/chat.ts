import type { Command } from 'commander';
import { Answer, type MillraceClient, Question } from '../../typescript/src/index.js';
import type { ExitCode } from '../exitCodes.js';
import { UsageError } from '../failures.js';
import { linesOfInput } from '../input.js';
import { addExamples, addTaskOptions } from '../options.js';
import { showAnswers, showError } from '../results.js';
import type { Run, Runner, TaskOptions } from '../run.js';
import { plain, styleOf } from '../style.js';

interface Options extends TaskOptions {
  role?: string;
  expectJson?: boolean;
}

export function addChat(program: Command, runner: Runner): void {
  const command = addTaskOptions(
    program
      .command('chat [question]')
      .description('ask a pipeline that starts with a chat; without a question, ask one a line until the input ends')
      .option('--role <text>', 'who the model is to be')
      .option('--expect-json', 'ask for an answer that is JSON'),
  );
  addExamples(command, 'chat --token TOKEN "What is in the contract?"', 'chat --pipeline assistant.pipe');
  runner.bind<Options>(command, async (run, options, question?: string) => {
    if (question?.trim() === '') throw new UsageError('The question is empty', 'Pass a text, or no question at all.');
    const client = await run.connectForWork();
    const token = await run.task(client, options);
    const chat = new Conversation(run, client, token, options);
    return question === undefined ? chat.interactive() : chat.ask(question);
  });
}

/** Questions and answers; each question carries what was said before. */
class Conversation {
  readonly #run: Run;
  readonly #client: MillraceClient;
  readonly #token: string;
  readonly #options: Options;
  readonly #history: { role: 'user' | 'assistant'; content: string }[] = [];

  constructor(run: Run, client: MillraceClient, token: string, options: Options) {
    this.#run = run;
    this.#client = client;
    this.#token = token;
    this.#options = options;
  }

  async interactive(): Promise<ExitCode | undefined> {
    const { stdin, stderr, signal } = this.#run.io;
    const prompt = (): void => {
      if (stdin.isTTY === true) stderr.write(styleOf(this.#run.io, stderr).bold('> '));
    };
    let exitCode: ExitCode | undefined;
    prompt();
    for await (const line of linesOfInput(stdin, signal)) {
      const text = line.trim();
      if (text === '/exit' || text === '/quit') break;
      if (text !== '') exitCode = await this.ask(text);
      prompt();
    }
    return exitCode;
  }

  async ask(text: string): Promise<ExitCode> {
    const { role, expectJson } = this.#options;
    const question = new Question({ ...(role === undefined ? {} : { role }), expectJson: expectJson === true });
    for (const message of this.#history) question.addHistory(message);
    question.addQuestion(text);
    let streamed = false;
    const onEvent = (type: string, data: Record<string, unknown>): void => {
      const piece = pieceOf(type, data);
      if (piece === undefined || this.#run.json) return;
      streamed = true;
      this.#run.print(plain(piece));
    };
    const { signal } = this.#run;
    const result = await this.#client.chat({ token: this.#token, question, onEvent, signal });
    const answer = Answer.of(result)[0]?.getText() ?? '';
    this.#history.push({ role: 'user', content: text }, { role: 'assistant', content: answer });
    if (!streamed) return showAnswers(this.#run, result);
    this.#run.print('\n');
    return showError(this.#run, result);
  }
}

/** The text of an event that carries a piece of the answer. After `restart` the answer begins anew, on a new line. */
function pieceOf(type: string, { text }: Record<string, unknown>): string | undefined {
  if (type === 'restart') return '\n';
  return type === 'delta' && typeof text === 'string' ? text : undefined;
}
