import { isPipelineFile, withoutEnding } from '../../pipeline/fileName.js';

/** A pipeline to start from. Its text is the file of its id in this folder. */
export interface Starter {
  /** File name without `.pipe.json5`; also the name proposed for the new file. */
  readonly id: string;
  /** The same as `name` in the file. */
  readonly title: string;
  /** One sentence for people who choose. */
  readonly description: string;
  /** What the pipeline takes. */
  readonly takes: 'text' | 'files' | 'text and files' | 'questions' | 'a folder';
  /** Names in `${…}` that need a value before it runs. */
  readonly variables: readonly string[];
}

const model = ['MILLRACE_LLM_URL', 'MILLRACE_LLM_MODEL', 'MILLRACE_LLM_KEY'];

/** The simplest first. */
export const starters: readonly Starter[] = [
  starter('echo', 'Echo', 'Returns the text it is sent. The smallest pipeline there is.', 'text'),
  starter(
    'document-text',
    'Text of documents',
    'Reads the text of PDF, Word, Excel, PowerPoint, HTML, e-mail and more.',
    'files',
  ),
  starter('tables', 'Tables of documents', 'Finds the tables of spreadsheets, CSV files and documents.', 'files'),
  starter('pdf', 'Parts of a PDF', 'Takes a PDF apart into text, tables and pictures, without OCR.', 'files'),
  starter(
    'chunks',
    'Chunks of documents',
    'Splits documents into numbered chunks for a search index or a model.',
    'files',
  ),
  starter(
    'markdown-chunks',
    'Chunks of Markdown',
    'Splits notes and documentation at their headings.',
    'text and files',
  ),
  starter('anonymize', 'Anonymize', 'Masks names, addresses, numbers and other personal data.', 'text and files'),
  starter(
    'fingerprint',
    'Fingerprint and metadata',
    'Tells the SHA-512, the metadata and the text of a file.',
    'files',
  ),
  starter('folder', 'Text of a folder', 'Writes the text of every file of a folder into another one.', 'a folder', [
    'MILLRACE_INPUT',
    'MILLRACE_OUTPUT',
  ]),
  starter('chat', 'Chat', 'Answers questions with a model behind any OpenAI-compatible endpoint.', 'questions', model),
  starter('chat-ollama', 'Chat with Ollama', 'Answers questions with a model on your own machine.', 'questions'),
  starter(
    'guarded-chat',
    'Chat with guardrails',
    'Checks questions before a model sees them, and answers before you do.',
    'questions',
    model,
  ),
  starter('summarize', 'Summarize documents', 'Sends each document to a model with an instruction.', 'files', model),
  starter('private-answers', 'Private answers', 'Masks personal data before a model sees the text.', 'text', model),
];

/** The ending of files made from starters. */
export const starterEnding = '.pipe.json5';

/** What stands in the starters where a new file gets an id of its own. */
const placeholderId = '00000000-0000-4000-8000-000000000000';

/** The text of a new pipeline: the starter's with an id that no other pipeline has. */
export function fillStarter(text: string, projectId: string): string {
  return text.replace(placeholderId, projectId);
}

/** What is wrong with a name that was typed for a new pipeline, or nothing. It may lead into folders below. */
export function nameProblem(name: string): string | undefined {
  const parts = pathOf(name).split('/');
  const file = parts.at(-1) ?? '';
  if (name.trim() === '') return 'Type a name for the file.';
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'The file must lie in the folder.';
  if (parts.some((part) => /[<>:"|?*\p{Cc}]|[. ]$/u.test(part))) {
    return 'A name must not have one of < > : " | ? * and must not end with a dot or a space.';
  }
  return withoutEnding(file) === '' ? 'Type a name before the ending.' : undefined;
}

/** The path below the folder for a name that was typed: with `/`, and with an ending that makes it a pipeline. */
export function pathOf(name: string): string {
  const path = name.trim().replaceAll('\\', '/');
  return isPipelineFile(path) || path === '' ? path : `${path}${starterEnding}`;
}

/** The first of `echo.pipe.json5`, `echo-2.pipe.json5`, … that `taken` does not know. */
export async function freeName(id: string, taken: (name: string) => Promise<boolean>): Promise<string> {
  for (let count = 1; ; count++) {
    const name = `${count === 1 ? id : `${id}-${count}`}${starterEnding}`;
    if (!(await taken(name))) return name;
  }
}

function starter(
  id: string,
  title: string,
  description: string,
  takes: Starter['takes'],
  variables: readonly string[] = [],
): Starter {
  return { id, title, description, takes, variables };
}
