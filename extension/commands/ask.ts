import * as vscode from 'vscode';
import { MillraceError } from '../../protocol/errors.js';
import { pipelineName } from '../pipelines/pipelineFile.js';
import { Conversation } from '../runs/conversation.js';
import type { ShownResult } from '../runs/resultDocuments.js';
import { documentName } from '../runs/results.js';
import type { PipelineRun } from '../runs/runs.js';
import type { CommandDeps } from './dependencies.js';
import { runOf } from './start.js';
import { pickPipeline, takesQuestions } from './target.js';

/** The editor draws a document anew for each change. */
const redrawMs = 80;

interface Chat {
  readonly conversation: Conversation;
  readonly shown: Promise<ShownResult>;
}

/** `Ask…`: asks a chat pipeline; the answer grows in a document that keeps the whole conversation of a run. */
export function createAsk(deps: CommandDeps): (argument: unknown) => Promise<void> {
  const chats = new WeakMap<PipelineRun, Chat>();
  return async (argument) => {
    const file = await pickPipeline(argument, deps.files, 'Ask');
    if (file === undefined) return;
    const name = pipelineName(file.path);
    if (!(await takesQuestions(deps, file))) {
      throw new MillraceError('invalid_argument', `${name} does not take questions: its source is no chat.`, {
        hint: 'Send it a text or files, or let it start at a component with the provider "chat".',
      });
    }
    const question = await vscode.window.showInputBox({ title: `Ask ${name}`, prompt: 'Your question' });
    if (question === undefined || question.trim() === '') return;
    const run = await runOf(deps, file);
    const known = chats.get(run);
    const chat = known ?? begin(deps, name);
    chats.set(run, chat);
    const shown = await chat.shown;
    if (known !== undefined) await deps.results.reveal(shown);
    await answer(chat.conversation, shown, run, question.trim());
  };
}

function begin({ results }: Pick<CommandDeps, 'results'>, name: string): Chat {
  const conversation = new Conversation(name);
  const shown = results.show({ fileName: `${documentName(name)}.chat.md`, text: conversation.text });
  return { conversation, shown };
}

async function answer(
  conversation: Conversation,
  shown: ShownResult,
  run: PipelineRun,
  question: string,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    shown.update(conversation.text);
  };
  const progress = { location: vscode.ProgressLocation.Window, title: 'Waiting for the answer' };
  try {
    await vscode.window.withProgress(progress, async () => {
      const client = await run.connection.client();
      await conversation.ask(client, run.info.token, question, () => (timer ??= setTimeout(draw, redrawMs)));
    });
  } finally {
    draw();
  }
}
