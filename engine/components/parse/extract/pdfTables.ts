import type { PDFPageProxy } from 'unpdf/pdfjs';
import { hasContent, tableMarkdown } from '../tables.js';

/** A node of the structure tree of a tagged PDF, or a reference to marked content of the page. */
interface StructureNode {
  role?: string;
  type?: string;
  id?: string;
  children?: StructureNode[];
}

export interface PageContent {
  text: string;
  /** Text of each marked piece of the page, by the id that the structure tree uses. */
  marked: ReadonlyMap<string, string>;
}

/** The text of a page in the order in which it is painted. */
export async function pageContent(page: PDFPageProxy): Promise<PageContent> {
  const content = await page.getTextContent({ includeMarkedContent: true });
  const marked = new Map<string, string>();
  const open: (string | undefined)[] = [];
  let text = '';
  for (const item of content.items) {
    if ('str' in item) {
      const piece = item.hasEOL ? `${item.str}\n` : item.str;
      text += piece;
      const id = open.findLast((mark) => mark !== undefined);
      if (id !== undefined) marked.set(id, (marked.get(id) ?? '') + piece);
    } else if (item.type === 'endMarkedContent') open.pop();
    else open.push(item.id || undefined);
  }
  return { text: text.trim(), marked };
}

/** The tables of a page whose document says what is a table, as Word, LibreOffice and most invoicing programs do. */
export async function pageTables(page: PDFPageProxy, marked: ReadonlyMap<string, string>): Promise<string[]> {
  if (marked.size === 0) return [];
  const tree = (await page.getStructTree()) as StructureNode | null;
  return nodesOf(tree, 'Table')
    .map((table) => nodesOf(table, 'TR').map((row) => cellsOf(row).map((cell) => nodeText(cell, marked))))
    .filter((rows) => hasContent(rows))
    .map(tableMarkdown);
}

/** The outermost nodes of a role below a node. */
function nodesOf(node: StructureNode | null | undefined, role: string): StructureNode[] {
  return (node?.children ?? []).flatMap((child) => (child.role === role ? [child] : nodesOf(child, role)));
}

function cellsOf(row: StructureNode): StructureNode[] {
  return (row.children ?? []).filter((child) => child.role === 'TH' || child.role === 'TD');
}

function nodeText(node: StructureNode, marked: ReadonlyMap<string, string>): string {
  if (node.type === 'content') return marked.get(node.id ?? '') ?? '';
  return (node.children ?? [])
    .map((child) => nodeText(child, marked))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
