import { readFile } from 'node:fs/promises';
import path from 'node:path';

const route = '/client/typescript-init';

/**
 * The server that this package was installed from. Package managers install it into a folder whose package.json names the
 * address it came from, and `npx` keeps that folder, so that nothing has to be written into the package itself.
 */
export async function originOf(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = path.dirname(at)) {
    const address = addressIn(await readFile(path.join(at, 'package.json'), 'utf8').catch(() => '{}'));
    if (address !== undefined) return address.slice(0, address.indexOf(route));
    if (path.dirname(at) === at) return undefined;
  }
}

function addressIn(text: string): string | undefined {
  let manifest: Record<string, Record<string, unknown> | undefined>;
  try {
    manifest = (JSON.parse(text) ?? {}) as typeof manifest;
  } catch {
    return undefined;
  }
  const named = ['dependencies', 'devDependencies'].flatMap((group) => Object.values(manifest[group] ?? {}));
  return named.find(
    (value): value is string => typeof value === 'string' && /^https?:\/\//.test(value) && value.includes(route),
  );
}
