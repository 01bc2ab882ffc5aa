import { MillraceError } from '../../../protocol/errors.js';
import { requirePermission } from '../auth.js';
import { type Call, type CommandTable, extension } from '../command.js';

/** The variables a key keeps on the server. */
export interface KeyVariables {
  keys(keyId: string): Promise<string[]>;
  get(keyId: string): Promise<Record<string, string>>;
  set(keyId: string, env: unknown): Promise<void>;
}

/** Environment variables of the caller. Everything else of accounts belongs to hosted services. */
export function accountCommands(variables: KeyVariables): CommandTable {
  return { account_me: extension((call) => accountMe(variables, call)) };
}

async function accountMe(variables: KeyVariables, call: Call): Promise<object> {
  requirePermission(call.principal, 'control');
  const { keyId } = call.principal;
  switch (call.arguments.subcommand) {
    case 'env_keys':
      return { keys: await variables.keys(keyId) };
    case 'get_env':
      return { env: await variables.get(keyId) };
    case 'set_env':
      await variables.set(keyId, call.arguments.env);
      return { updated: true };
    default:
      throw new MillraceError('unsupported', 'Account management requires SaaS mode');
  }
}
