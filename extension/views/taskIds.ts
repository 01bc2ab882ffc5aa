/** Characters of the token in the id of a task; more of them where another task is called the same. */
const idChars = 8;

/** How servers call the task of a token, unless another one is called so. */
export function idOfToken(token: string, source: string): string {
  return `${bare(token).slice(0, idChars)}.${source}`;
}

/** Whether the task `id` may be the one of the token. */
export function isCalled(id: string, token: string, source: string): boolean {
  const suffix = `.${source}`;
  if (!id.endsWith(suffix)) return false;
  const start = id.slice(0, -suffix.length);
  return bare(token).startsWith(start) && start.length >= Math.min(idChars, bare(token).length);
}

function bare(token: string): string {
  return token.replace(/^[tp]k_/, '');
}
