/** `text/html` of `Text/HTML; charset=utf-8`. */
export function bareType(mimeType: string): string {
  return (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** The charset parameter of a MIME type. */
export function declaredCharset(mimeType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(mimeType)?.[1];
}

/** The extension of a file name, lower case without the dot. */
export function extensionOf(name: string): string {
  return /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
}
