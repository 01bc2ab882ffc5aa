import { MillraceError } from '../../../protocol/errors.js';
import { requirePermission } from '../auth.js';
import { type Call, type CommandTable, extension } from '../command.js';

/** The variables a key keeps on the server. */
export interface Variables {
  keys(keyId: string): Promise<string[]>;
  get(keyId: string): Promise<Record<string, string>>;
  set(keyId: string, env: unknown): Promise<void>;
}

const hosted = ['account_org', 'account_keys', 'account_members', 'account_teams', 'account_billing'];
const marketplace = ['app_developer', 'app_submission', 'app_catalog', 'app_admin', 'app_pricing'];

/** Environment variables of the caller; everything else of accounts belongs to hosted services. */
export function accountCommands(variables: Variables): CommandTable {
  const refusals = [
    ...hosted.map((name) => [name, refuse('Account management requires SaaS mode')] as const),
    ...marketplace.map((name) => [name, refuse('App marketplace requires SaaS mode')] as const),
  ];
  return {
    ...Object.fromEntries(refusals.map(([name, run]) => [name, extension(run)])),
    account_me: extension((call) => accountMe(variables, call)),
    cprofile_start: extension(profilerAbsent),
    cprofile_stop: extension(profilerAbsent),
    cprofile_status: extension(() => ({ active: false, owner: null, session: null, runtime: null, has_report: false })),
    cprofile_report: extension(() => ({ report: 'No profiling data available.' })),
  };
}

async function accountMe(variables: Variables, call: Call): Promise<object> {
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

function refuse(message: string): () => never {
  return () => {
    throw new MillraceError('unsupported', message);
  };
}

function profilerAbsent(): object {
  return { status: 'error', message: 'Profiling is not available on this server' };
}
