/** Members whose value is a time, a measure or a number of the run, and differs from call to call. */
const measured = new Set([
  'startTime',
  'endTime',
  'upload_time',
  'modified',
  'created_at',
  'updated_at',
  'rateCount',
  'rateSize',
  'metrics',
  'tokens',
  'totalSeconds',
  'maxSeconds',
  'completionSeconds',
  'idleSeconds',
  'idleLongestSeconds',
  'idleLongestAt',
  'elapsed',
  'beginTime',
  'beginSeq',
  'created_by',
  'pipeflow',
  'currentObject',
  'currentSize',
]);

/** An answer with everything replaced that is another one each time: ids, tokens, times, the folder of the files. */
export function normalise(value: unknown, folder: string): unknown {
  if (typeof value === 'string') return text(value, folder);
  if (Array.isArray(value)) return value.map((item) => normalise(item, folder));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => [
      text(key, folder),
      measured.has(key) ? kindOf(member) : normalise(key === 'id' ? taskId(member) : member, folder),
    ]),
  );
}

/** `value` without the members named, at any depth. */
export function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, names));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !names.has(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, without(member, names)]));
}

function text(value: string, folder: string): string {
  return value
    .replaceAll(folder, '$FOLDER')
    .replaceAll('\\', '/')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/\b[tp]k_[\w-]+/g, '<token>');
}

/** Tasks are called by the first characters of their token, and tokens are made at random. */
function taskId(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/^[\w-]{8}\./, '<id>.') : value;
}

function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `<${typeof value}>`;
  return `<${Object.keys(value).sort().join(' ')}>`;
}
