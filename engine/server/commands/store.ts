import { MillraceError } from '../../../protocol/errors.js';
import type { FileStore, FileStoreSession, OpenMode } from '../../store/fileStore.js';
import { requirePermission } from '../auth.js';
import { BinaryBody, type Call, type Caller, type CommandTable, extension } from '../command.js';
import { type Fields, wrongField } from '../fields.js';

/** The file store: one session a connection, which owns its handles. */
export function storeCommands(store: FileStore): CommandTable {
  const sessions = new WeakMap<Caller, { keyId: string; session: FileStoreSession }>();
  const sessionOf = ({ connection, principal }: Call): FileStoreSession => {
    const known = sessions.get(connection);
    if (known?.keyId === principal.keyId) return known.session;
    const session = store.session(principal.keyId);
    sessions.set(connection, { keyId: principal.keyId, session });
    connection.onClose(() => void session.dispose().catch(() => undefined));
    return session;
  };
  return {
    store: extension((call) => {
      requirePermission(call.principal, 'store');
      const { subcommand } = call.arguments;
      if (subcommand === undefined || subcommand === null || subcommand === '') {
        throw new MillraceError('invalid_argument', 'Subcommand is required');
      }
      const run =
        typeof subcommand === 'string' && Object.hasOwn(operations, subcommand) ? operations[subcommand] : undefined;
      if (run === undefined) {
        throw new MillraceError(
          'unknown_command',
          `Unknown subcommand: ${typeof subcommand === 'string' ? subcommand.slice(0, 100) : typeof subcommand}`,
        );
      }
      return run(sessionOf(call), call.arguments, call);
    }),
  };
}

type Operation = (session: FileStoreSession, given: Fields, call: Call) => Promise<unknown>;

const operations: Readonly<Record<string, Operation>> = {
  fs_open: (session, given) => session.open(string(given, 'path'), modeOf(given)),
  fs_read: async (session, given) => {
    const bytes = await session.read(string(given, 'handle'), given.offset, given.length);
    return new BinaryBody({ size: bytes.length }, bytes);
  },
  fs_write: async (session, given, call) => ({
    bytesWritten: await session.write(string(given, 'handle'), call.data ?? Buffer.from(string(given, 'data'))),
  }),
  fs_close: (session, given) =>
    session.close(string(given, 'handle'), given.mode === undefined ? undefined : modeOf(given)),
  fs_delete: (session, given) => session.delete(string(given, 'path')),
  fs_list_dir: async (session, given) => {
    const entries = await session.listDir(given.path === undefined ? '' : string(given, 'path'));
    return { entries, count: entries.length };
  },
  fs_mkdir: (session, given) => session.mkdir(string(given, 'path')),
  fs_rmdir: (session, given) => session.rmdir(given.path as string, given.recursive ?? false),
  fs_stat: (session, given) => session.stat(string(given, 'path')),
  fs_rename: (session, given) => session.rename(string(given, 'old_path'), string(given, 'new_path')),
};

function string(given: Fields, name: string): string {
  const value = given[name];
  if (typeof value !== 'string') throw wrongField(name, 'must be a string');
  return value;
}

function modeOf(given: Fields): OpenMode {
  const { mode } = given;
  if (mode === undefined || mode === null || mode === 'r') return 'r';
  if (mode === 'w') return 'w';
  throw wrongField('mode', 'must be "r" or "w"');
}
