import { fileURLToPath } from 'node:url';

/** The path of a file's address; undefined for other addresses. */
export function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}

/** The same for every spelling of a file's address; Windows knows several. */
export function keyOf(uri: string): string {
  const file = pathOf(uri);
  return file === undefined ? uri : process.platform === 'win32' ? file.toLowerCase() : file;
}
