const reservedName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Where the text of an object goes below the output folder: its path without `exclude` and without its extension,
 * plus `.txt`, in parts with forward slashes. Undefined when the path is not under `exclude` or would leave the folder.
 */
export function relativeTextPath(objectPath: string, exclude: string): string | undefined {
  let rest = objectPath.replaceAll('\\', '/');
  if (exclude !== '' && exclude !== 'N/A') {
    const prefix = exclude.replaceAll('\\', '/').replace(/\/$/, '');
    if (!rest.startsWith(`${prefix}/`)) return undefined;
    rest = rest.slice(prefix.length);
  }
  const parts = rest.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.length === 0 || parts.includes('..')) return undefined;
  const name = parts.pop() as string;
  const dot = name.lastIndexOf('.');
  return [...parts, `${dot > 0 ? name.slice(0, dot) : name}.txt`].map(safeName).join('/');
}

/** A name that every file system takes for a plain file: no drive, no stream, no device. */
function safeName(part: string): string {
  const plain = part.replace(/[<>:"|?*\p{Cc}]/gu, '_').replace(/[. ]$/, '_');
  return reservedName.test(plain) ? `_${plain}` : plain;
}
