const signatures: readonly { mimeType: string; at: number; text: string }[] = [
  { mimeType: 'image/png', at: 0, text: '\x89PNG\r\n\x1a\n' },
  { mimeType: 'image/jpeg', at: 0, text: '\xff\xd8\xff' },
  { mimeType: 'image/gif', at: 0, text: 'GIF8' },
  { mimeType: 'image/webp', at: 8, text: 'WEBP' },
  { mimeType: 'audio/wav', at: 8, text: 'WAVE' },
];

/** The type that the first bytes show, else the declared one. */
export function mediaType(data: Buffer, declared: string): string {
  const found = signatures.find(({ at, text }) => data.toString('latin1', at, at + text.length) === text);
  return found?.mimeType ?? (declared === '' ? 'application/octet-stream' : declared);
}
