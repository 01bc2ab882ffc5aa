import { MillraceError } from '../../../protocol/errors.js';
import type { Command, CommandTable } from '../command.js';

const account = ['account_org', 'account_keys', 'account_members', 'account_teams', 'account_billing'];
const marketplace = ['app_developer', 'app_submission', 'app_catalog', 'app_admin', 'app_pricing'];
const debugging = [
  'initialize',
  'launch',
  'attach',
  'configurationDone',
  'disconnect',
  'threads',
  'pause',
  'continue',
  'next',
  'stepIn',
  'stepOut',
  'setBreakpoints',
  'stackTrace',
  'scopes',
  'variables',
  'evaluate',
];

/** Commands of the wire that this server does not offer: each says so in the words existing clients know. */
export function refusedCommands(): CommandTable {
  const noProfiler = (): object => ({ status: 'error', message: 'Profiling is not available on this server' });
  return {
    ...all(account, true, 'Account management requires SaaS mode'),
    ...all(marketplace, true, 'App marketplace requires SaaS mode'),
    ...all(debugging, false, 'Debug interface not available'),
    cprofile_start: { extension: true, run: noProfiler },
    cprofile_stop: { extension: true, run: noProfiler },
    cprofile_report_tree: { extension: true, run: noProfiler },
    cprofile_threads: { extension: true, run: noProfiler },
    cprofile_status: {
      extension: true,
      run: () => ({ active: false, owner: null, session: null, runtime: null, has_report: false }),
    },
    cprofile_report: { extension: true, run: () => ({ report: 'No profiling data available.' }) },
  };
}

function all(names: readonly string[], extension: boolean, message: string): Record<string, Command> {
  const run = (): never => {
    throw new MillraceError('unsupported', message);
  };
  return Object.fromEntries(names.map((name) => [name, { extension, run }]));
}
