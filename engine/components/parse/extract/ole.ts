import { type Source, UnreadableError } from '../extraction.js';

const legacy = [
  ['WordDocument', 'a Word 97–2003 document', 'DOCX'],
  ['Workbook', 'an Excel 97–2003 workbook', 'XLSX'],
  ['PowerPoint Document', 'a PowerPoint 97–2003 presentation', 'PPTX'],
  ['__substg1.0_', 'an Outlook message', 'EML'],
] as const;

/** Compound files hold encrypted office documents and the office formats of before 2007; none can be read. */
export function refuseOle({ bytes }: Source): never {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (stream: string) => file.includes(Buffer.from(stream, 'utf16le'));
  if (has('EncryptedPackage')) throw new UnreadableError('is password-protected', { encrypted: true });
  for (const [stream, what, instead] of legacy) {
    if (has(stream)) throw new UnreadableError(`is ${what}, which is not supported; save it as ${instead}`);
  }
  throw new UnreadableError('is an OLE compound file, which is not supported');
}
