import { rules } from '../anonymize/rules.js';
import { countWords } from '../words.js';
import type { GuardrailsConfig } from './definition.js';

/** Weights add up; from this sum on a question counts as an attempt to override instructions. */
const injectionThreshold = 0.7;

/** Repetitions are bounded, or stay within a line, so that no text takes long. */
const injectionSigns: readonly { weight: number; sign: RegExp }[] = [
  {
    weight: 1,
    sign: /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your|these|the)\b.{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directions?)\b/is,
  },
  {
    weight: 1,
    sign: /\b(?:reveal|show|print|repeat|output|tell me|what (?:is|are))\b.{0,30}\b(?:system prompt|hidden prompt|initial instructions|your instructions)\b/is,
  },
  {
    weight: 1,
    sign: /\byou are (?:now|no longer)\b.{0,40}\b(?:dan|jailbroken|unrestricted|unfiltered|bound|limited|developer mode)\b/is,
  },
  { weight: 1, sign: /<\|(?:im_start|im_end|system|endoftext)\|>|\[\/?INST\]|<<SYS>>/i },
  {
    weight: 0.8,
    sign: /\b(?:enable|enter|activate|switch to)\b.{0,20}\b(?:developer|god|debug|jailbreak|dan) mode\b/is,
  },
  { weight: 0.5, sign: /\b(?:jailbreak|prompt injection|do anything now)\b/i },
  { weight: 0.5, sign: /^[ \t]*(?:system|assistant)[ \t]*:/im },
  { weight: 0.4, sign: /\bnew instructions?\b/i },
  {
    weight: 0.4,
    sign: /\b(?:without|bypass|disable)\b.{0,20}\b(?:restrictions?|filters?|safety|safeguards?|censorship)\b/is,
  },
  {
    weight: 0.4,
    sign: /\b(?:pretend|act as if|roleplay as)\b.{0,40}\b(?:no rules|no restrictions|unrestricted|evil)\b/is,
  },
  { weight: 0.3, sign: /\bsystem prompt\b/i },
];

const unsafeSigns: readonly { topic: string; sign: RegExp }[] = [
  {
    topic: 'weapons',
    sign: /\b(?:how to|steps to|instructions (?:to|for))\b.{0,40}\b(?:build|make|assemble)?\b.{0,20}\b(?:bomb|explosive|pipe bomb|nerve agent|chemical weapon)s?\b/is,
  },
  {
    topic: 'self-harm',
    sign: /\b(?:kill yourself|end your life|ways to (?:commit suicide|self-harm)|how to commit suicide)\b/i,
  },
  { topic: 'threats', sign: /\bi (?:will|am going to|'ll) (?:kill|murder|hurt|shoot|stab) (?:you|him|her|them)\b/i },
  {
    topic: 'drugs',
    sign: /\bhow to (?:make|cook|synthesi[sz]e)\b.{0,20}\b(?:meth|methamphetamine|fentanyl|heroin|crack)\b/is,
  },
  {
    topic: 'malware',
    sign: /\bhow to (?:write|build|make|spread)\b.{0,20}\b(?:ransomware|keylogger|computer virus|botnet)\b/is,
  },
];

/** What is wrong with a question, one sentence each. */
export function checkInput(text: string, config: GuardrailsConfig): string[] {
  const problems: string[] = [];
  if (config.enable_prompt_injection) {
    const score = injectionSigns.reduce((sum, { weight, sign }) => (sign.test(text) ? sum + weight : sum), 0);
    if (score >= injectionThreshold) problems.push('the question tries to override instructions');
  }
  const length = config.max_input_length ?? 0;
  if (length > 0 && text.length > length)
    problems.push(`the question has ${text.length} characters, more than ${length}`);
  const tokens = Math.ceil(countWords(text) * 1.3);
  const most = config.max_tokens_estimate ?? 0;
  if (most > 0 && tokens > most) problems.push(`the question has about ${tokens} tokens, more than ${most}`);

  const blocked = config.blocked_topics?.find((topic) => mentions(text, topic));
  if (blocked !== undefined) problems.push(`the question is about "${blocked}", which is blocked`);
  const allowed = config.allowed_topics ?? [];
  if (allowed.length > 0 && !allowed.some((topic) => mentions(text, topic))) {
    problems.push('the question is about none of the allowed topics');
  }
  return problems;
}

/** What is wrong with an answer, given the documents it should rest on; one sentence each. */
export function checkOutput(
  text: string,
  isJson: boolean,
  documents: readonly string[],
  config: GuardrailsConfig,
): string[] {
  const problems: string[] = [];
  if (config.enable_content_safety) {
    const unsafe = unsafeSigns.find(({ sign }) => sign.test(text));
    if (unsafe !== undefined) problems.push(`the answer is unsafe (${unsafe.topic})`);
  }
  if (config.enable_pii_detection) {
    const kinds = new Set(rules.filter((rule) => !isEmpty(rule.find(text))).map(({ name }) => name));
    if (kinds.size > 0) problems.push(`the answer holds personal data (${[...kinds].join(', ')})`);
  }
  const format = config.expected_format ?? '';
  if (format !== '' && !(isJson && format === 'json') && !hasFormat(text, format)) {
    problems.push(`the answer is not in the form ${format}`);
  }
  if (config.enable_hallucination_check && documents.length > 0 && !isGrounded(text, documents)) {
    problems.push('the answer has little in common with the documents');
  }
  return problems;
}

function mentions(text: string, topic: string): boolean {
  const wanted = wordsOf(topic).join(' ');
  return wanted !== '' && ` ${wordsOf(text).join(' ')} `.includes(` ${wanted} `);
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isEmpty(found: Iterable<unknown>): boolean {
  for (const _ of found) return false;
  return true;
}

function hasFormat(text: string, format: Exclude<GuardrailsConfig['expected_format'], undefined>): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  switch (format) {
    case 'json':
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    case 'markdown':
      return /^#{1,6} |^ {0,3}(?:[-*+]|\d{1,4}\.) |\*\*\S|`[^`\n]|\]\(|^\|/m.test(text);
    case 'bullet_list':
      return lines.length > 0 && lines.every((line) => /^\s*[-*+•] /.test(line));
    case 'numbered_list':
      return lines.length > 0 && lines.every((line) => /^\s*\d{1,4}[.)] /.test(line));
    default:
      return true;
  }
}

/** Whether at least a third of the longer words of the answer occur in the documents. */
function isGrounded(text: string, documents: readonly string[]): boolean {
  const longer = (words: readonly string[]) => words.filter((word) => word.length > 3);
  const said = new Set(longer(wordsOf(text)));
  if (said.size === 0) return true;
  const known = new Set(documents.flatMap((document) => longer(wordsOf(document))));
  return [...said].filter((word) => known.has(word)).length * 3 >= said.size;
}
