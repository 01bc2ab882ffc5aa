import type { Question } from '../../../protocol/data.js';

const newline = '\r\n';

const jsonRule =
  'Reply with one valid JSON object or array and nothing else: no explanation, no Markdown, no code fences.';

/** The document types that carry base64, which a text model cannot read. */
const media = new Set<string>(['Image', 'Audio', 'Video']);

/**
 * A question as the one text that is sent to a model: CR LF line ends, sections only when they have content, always
 * in the same order. Control characters are dropped. Returns `''` when the question asks nothing at all.
 *
 * @param rejected why the previous reply was not the JSON asked for; makes the JSON rule stricter
 */
export function renderPrompt(question: Question, rejected?: string): string {
  const given = [
    question.role,
    ...question.instructions.flatMap(({ subtitle, instructions }) => [subtitle, instructions]),
    ...question.examples.flatMap(({ given: input, result }) => [input, result]),
    ...question.history.map(({ content }) => content),
    ...question.context,
    ...question.documents.map(({ page_content }) => page_content),
    ...question.goals,
    ...question.questions.map(({ text }) => text),
  ];
  if (given.every((text) => clean(text ?? '').trim() === '')) return '';

  const instructions = question.instructions.map(({ subtitle, instructions: text }) =>
    [subtitle, text].filter(Boolean).join(': '),
  );
  const documents = question.documents.filter(({ type }) => !media.has(type)).map(({ page_content }) => page_content);
  const sections = [
    question.role,
    section('Instructions', numbered([...(question.expectJson ? jsonRules(rejected) : []), ...instructions])),
    section(
      'Examples',
      question.examples.flatMap(({ given: input, result }) => [`Given: ${input}`, `Result: ${result}`]),
    ),
    section(
      'Conversation so far',
      question.history.map(({ role, content }) => `${role}: ${content}`),
    ),
    section('Context', numbered(question.context)),
    section('Documents', numbered(documents)),
    section('Goals', numbered(question.goals)),
    question.questions.map(({ text }) => text).join(newline),
  ];
  const text = sections.filter((part) => part !== '').join(newline + newline);
  return clean(text).replace(/\r\n|\r|\n/g, newline);
}

function jsonRules(rejected: string | undefined): string[] {
  if (rejected === undefined) return [jsonRule];
  return [
    jsonRule,
    `Your previous reply was rejected: ${rejected}. ` +
      'The first character of the reply must be { or [ and the last one } or ]; strings and keys take double quotes.',
  ];
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${heading}:`, ...lines].join(newline);
}

function numbered(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== '').map((text, index) => `${index + 1}. ${text}`);
}

/** Servers refuse or mangle control characters and halves of surrogate pairs; tabs and line ends stay. */
function clean(text: string): string {
  return text.replace(/(?![\t\r\n])[\p{Cc}\p{Cs}]/gu, '');
}
