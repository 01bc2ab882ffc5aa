/** A reply read as JSON, or the reason why it is none, in words for the model and for people. */
export type JsonReply = { value: object } | { reason: string };

/**
 * Reads the object or list a model was asked for. Models wrap it in what they thought before and in Markdown; both
 * are taken off.
 */
export function readJsonReply(reply: string): JsonReply {
  const text = withoutThinking(reply).trim();
  if (text === '') return { reason: 'it is empty' };
  const whole = parse(text);
  if ('value' in whole) return whole;
  for (const block of fencedBlocks(text)) {
    const inner = parse(block);
    if ('value' in inner) return inner;
  }
  return whole;
}

function parse(text: string): JsonReply {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { value };
    return { reason: 'it is a single value, not a JSON object or array' };
  } catch (thrown) {
    return { reason: `it is not valid JSON (${thrown instanceof Error ? thrown.message : String(thrown)})` };
  }
}

/** A block that was never closed is kept: what follows it cannot be told from the thinking. */
function withoutThinking(reply: string): string {
  const text = reply.trimStart();
  for (const tag of ['think', 'thinking']) {
    if (!text.startsWith(`<${tag}>`)) continue;
    const end = text.indexOf(`</${tag}>`);
    if (end !== -1) return text.slice(end + tag.length + 3);
  }
  return text;
}

/** The contents of the ``` blocks, without their language word. */
function fencedBlocks(text: string): string[] {
  const fence = '```';
  const parts = text.split(fence);
  return parts.filter((_, index) => index % 2 === 1).map((block) => block.replace(/^[a-z0-9]*\s/i, ''));
}
