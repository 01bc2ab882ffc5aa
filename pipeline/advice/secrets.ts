/** What secrets are called. The words of a key count, so that `modelOutputTokens` is none. */
const secretWords: ReadonlySet<string> = new Set([
  'apikey',
  'token',
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'secret',
  'credential',
  'credentials',
  'authorization',
]);
const keyKinds: ReadonlySet<string> = new Set([
  'api',
  'access',
  'private',
  'secret',
  'auth',
  'account',
  'subscription',
]);

/** Whether a setting of this name holds a secret. */
export function isSecretKey(key: string): boolean {
  const words = wordsOf(key);
  const last = words.at(-1) ?? '';
  if (secretWords.has(last)) return true;
  return last === 'key' && keyKinds.has(words.at(-2) ?? '');
}

function wordsOf(key: string): string[] {
  return key
    .slice(0, 100)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Keys of well-known services, which can be told by how they begin. */
const shapes = [
  /^sk-[A-Za-z0-9_-]{20,}$/,
  /^(?:gh[opsu]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})$/,
  /^glpat-[A-Za-z0-9_-]{20,}$/,
  /^xox[abposr]-[A-Za-z0-9-]{20,}$/,
  /^(?:AKIA|ASIA)[A-Z0-9]{16}$/,
  /^AIza[A-Za-z0-9_-]{35}$/,
  /^hf_[A-Za-z0-9]{30,}$/,
  /^(?:gsk|pcsk|r8|tvly|nvapi)[-_][A-Za-z0-9_-]{24,}$/,
  /^eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}$/,
  /^-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/,
  /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/:@]{1,200}@/,
];

/** All of them at once: every string of a pipeline is looked at. */
const shape = new RegExp(shapes.map(({ source }) => source).join('|'));

/** Whether a text looks like the key of a service, or like an address with a password in it. */
export function isSecretShape(value: string): boolean {
  if (value.length < 12) return false;
  const text = value.replace(/^(?:Bearer|Basic|token)\s+/i, '').trimEnd();
  return shape.test(text);
}

/** A name for the variable that a secret is moved to: `MILLRACE_MODEL_APIKEY`. */
export function variableFor(component: string | undefined, key: string): string {
  const words = [component ?? '', key].flatMap(wordsOf).map((word) => word.toUpperCase());
  return ['MILLRACE', ...words].join('_').slice(0, 80);
}
