import { Answer, type MillraceClient, Question } from '../../client/typescript/src/index.js';

interface Turn {
  readonly question: string;
  answer: string;
  state: 'thinking' | 'answered' | 'failed';
}

/** Turns that travel with a question; the older ones are shown only. */
const longestHistory = 50;

/** Questions to one chat pipeline and their answers, as a Markdown document that grows. */
export class Conversation {
  readonly #title: string;
  readonly #turns: Turn[] = [];

  /** @param title what the pipeline is called */
  constructor(title: string) {
    this.#title = title;
  }

  get text(): string {
    const turns = this.#turns.map(({ question, answer, state }) => {
      const quoted = question.replace(/\r?\n/g, '\n> ');
      const said = state === 'thinking' && answer === '' ? '…' : answer;
      return `> ${quoted}\n\n${state === 'failed' ? `**Failed:** ${said}` : said}\n`;
    });
    return `# ${this.#title}\n\n${turns.join('\n---\n\n')}`;
  }

  /**
   * Asks, with what was said before. A failure of a component is part of the conversation.
   *
   * @param onChange the text has grown
   * @throws MillraceError when there is no answer at all; the question is taken back then
   */
  async ask(client: MillraceClient, token: string, text: string, onChange: () => void): Promise<void> {
    const question = new Question();
    const said = this.#turns.filter(({ state }) => state === 'answered').slice(-longestHistory);
    for (const turn of said) {
      question.addHistory({ role: 'user', content: turn.question });
      question.addHistory({ role: 'assistant', content: turn.answer });
    }
    question.addQuestion(text);
    const turn: Turn = { question: text, answer: '', state: 'thinking' };
    this.#turns.push(turn);
    onChange();
    const onEvent = (type: string, data: Record<string, unknown>): void => {
      if (type === 'restart') turn.answer = '';
      else if (type === 'delta' && typeof data.text === 'string') turn.answer += data.text;
      else return;
      onChange();
    };
    try {
      const result = await client.chat({ token, question, onEvent });
      const answers = Answer.of(result).map((answer) => answer.getText());
      turn.state = result.error === undefined ? 'answered' : 'failed';
      turn.answer = result.error?.message ?? (answers.join('\n\n') || turn.answer || 'No answer was returned.');
    } catch (thrown) {
      this.#turns.splice(this.#turns.indexOf(turn), 1);
      throw thrown;
    } finally {
      onChange();
    }
  }
}
