import { type CommandName, commands } from '../identifiers.js';
import { type ErrorCode, toMillraceError } from '../../protocol/errors.js';

/** One message for people and what they can do about it. */
export interface Failure {
  readonly text: string;
  readonly button: string;
  readonly command: string;
}

type Remedy = readonly [button: string, command: CommandName];

const checkPipeline: Remedy = ['Show Problems', 'validatePipeline'];
const setKey: Remedy = ['Set Key…', 'setConnectionKey'];
const choose: Remedy = ['Choose Connection…', 'chooseConnection'];

const remedies: Partial<Record<ErrorCode, Remedy>> = {
  not_authenticated: setKey,
  auth_missing: setKey,
  auth_invalid: setKey,
  permission_denied: setKey,
  connection_failed: choose,
  connection_lost: choose,
  pipeline_invalid: checkPipeline,
  pipeline_syntax: checkPipeline,
  source_missing: checkPipeline,
  provider_unknown: checkPipeline,
};

/** How a failure is told. Undefined when there is nothing to tell, because the person gave up. */
export function failureOf(thrown: unknown): Failure | undefined {
  const { code, message, hint } = toMillraceError(thrown);
  if (code === 'cancelled' || (thrown instanceof Error && /^(AbortError|Canceled)$/.test(thrown.name)))
    return undefined;
  const [button, command] = remedies[code] ?? ['Show Log', 'showLog'];
  return { text: textOf(message, hint), button, command: commands[command] };
}

const longest = 600;

function textOf(message: string, hint: string): string {
  const lines = message.replace(/\s*\n\s*/g, '; ').trim();
  const sentence = /[.!?…]$/.test(lines) ? lines : `${lines}.`;
  const text = hint === '' || lines.includes(hint) ? sentence : `${sentence} ${hint}`;
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}
