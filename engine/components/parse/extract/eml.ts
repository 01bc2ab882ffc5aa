import type { Address } from 'postal-mime';
import { type EmbeddedFile, type Extraction, type Source, UnreadableError, emptyExtraction } from '../extraction.js';
import { htmlToText } from './html.js';

/** The headers a reader sees and the message; attachments and forwarded mails are embedded files. */
export async function extractEml(source: Source): Promise<Extraction> {
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(source.bytes, { forceRfc822Attachments: true, maxNestingDepth: 64 }).catch(
    (error: unknown) => {
      throw new UnreadableError('is not a readable mail', {}, { cause: error });
    },
  );
  const from = mail.from ? addressText(mail.from) : '';
  const headers = [
    ['From', from],
    ['To', (mail.to ?? []).map(addressText).join(', ')],
    ['Cc', (mail.cc ?? []).map(addressText).join(', ')],
    ['Date', mail.date ?? ''],
    ['Subject', mail.subject ?? ''],
  ].filter(([, value]) => value !== '');
  const html = mail.html === undefined ? undefined : htmlToText(mail.html);
  // The plain version of a mail loses the tables of the other one.
  const body = html && (html.tables.length > 0 || !mail.text?.trim()) ? html.text : (mail.text ?? '').trim();
  const extraction = emptyExtraction({
    ...(mail.subject ? { title: mail.subject } : {}),
    ...(from === '' ? {} : { author: from }),
    ...(mail.date ? { created: mail.date } : {}),
    ...(mail.messageId ? { messageId: mail.messageId } : {}),
  });
  extraction.text = `${headers.map((header) => header.join(': ')).join('\n')}\n\n${body}`.trim();
  extraction.tables = html?.tables ?? [];
  extraction.embedded = mail.attachments.map((attachment, index) => attachedFile(attachment, index));
  return extraction;
}

function attachedFile(
  attachment: { filename: string | null; mimeType: string; content: ArrayBuffer | Uint8Array | string },
  index: number,
): EmbeddedFile {
  const { content, mimeType } = attachment;
  const bytes =
    typeof content === 'string'
      ? new TextEncoder().encode(content)
      : content instanceof ArrayBuffer
        ? new Uint8Array(content)
        : new Uint8Array(content);
  const fallback = mimeType === 'message/rfc822' ? `attachment-${index + 1}.eml` : `attachment-${index + 1}`;
  return { name: attachment.filename ?? fallback, mimeType, bytes };
}

function addressText(address: Address): string {
  if (address.group) return address.group.map(addressText).join(', ');
  return address.name ? `${address.name} <${address.address ?? ''}>` : (address.address ?? '');
}
