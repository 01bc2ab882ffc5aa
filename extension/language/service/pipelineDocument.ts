import type { Position, Range as LspRange } from 'vscode-languageserver-types';
import { AnalysisMemory } from '../../../pipeline/analysisMemory.js';
import { editSyntax } from '../../../pipeline/syntax/edit.js';
import { member, pathAt } from '../../../pipeline/syntax/navigation.js';
import type { ObjectNode, Range, StringNode, SyntaxNode, SyntaxTree } from '../../../pipeline/syntax/nodes.js';
import { LineIndex } from '../../../pipeline/syntax/lineIndex.js';
import { parseSyntax } from '../../../pipeline/syntax/parser.js';

/** An element of `input` or `control`, as far as it has been written. */
export interface LinkNode {
  readonly kind: 'input' | 'control';
  readonly node: ObjectNode;
  readonly from: StringNode | undefined;
  /** The lane of an input link, the class type of a control link. */
  readonly type: StringNode | undefined;
}

/** A component as it stands in the text, complete or not. */
export interface ComponentNode {
  readonly index: number;
  readonly node: ObjectNode;
  readonly id: StringNode | undefined;
  readonly provider: StringNode | undefined;
  readonly config: SyntaxNode | undefined;
  readonly links: readonly LinkNode[];
}

/** As the protocol has it: a change without a range is the whole new text. */
export interface DocumentChange {
  readonly range?: LspRange;
  readonly text: string;
}

/** What one version of a document hands on to the next. */
interface Reading {
  readonly tree: SyntaxTree;
  /** Undefined until somebody asks. */
  readonly lines: LineIndex | undefined;
  /** What the nodes of components say, as long as they stay the same. */
  readonly known: WeakMap<SyntaxNode, ComponentNode>;
  readonly memory: AnalysisMemory;
}

/** The text of a pipeline file in the editor, read once. */
export class PipelineDocument {
  readonly tree: SyntaxTree;
  /** Path to the pipeline: `['pipeline']` when it stands in a wrapper. */
  readonly base: readonly string[];
  readonly pipeline: SyntaxNode | undefined;
  /** The top-level `source`. */
  readonly source: StringNode | undefined;

  /** What was found in it before; goes from version to version. */
  readonly memory: AnalysisMemory;
  #lines: LineIndex | undefined;
  #components: readonly ComponentNode[] | undefined;
  #byId: ReadonlyMap<string | undefined, ComponentNode> | undefined;
  readonly #known: Reading['known'];

  constructor(
    readonly uri: string,
    readonly text: string,
    { tree, lines, known, memory }: Reading = readAll(text),
  ) {
    this.memory = memory;
    this.tree = tree;
    this.#lines = lines;
    this.#known = known;
    const { root } = tree;
    const wrapped = member(root, 'components') === undefined ? member(root, 'pipeline')?.value : undefined;
    this.base = wrapped?.kind === 'object' ? ['pipeline'] : [];
    this.pipeline = wrapped?.kind === 'object' ? wrapped : root;
    this.source = asString(member(this.pipeline, 'source')?.value);
  }

  get components(): readonly ComponentNode[] {
    if (this.#components !== undefined) return this.#components;
    const list = member(this.pipeline, 'components')?.value;
    const items = list?.kind === 'array' ? list.items : [];
    return (this.#components = items.flatMap((item, index) =>
      item.kind === 'object' ? [this.#component(item, index)] : [],
    ));
  }

  get lines(): LineIndex {
    return (this.#lines ??= new LineIndex(this.text));
  }

  /**
   * The next version. Only what is around the changes is read, and its nodes take the places of those of this version,
   * which must not be used any more.
   */
  edited(changes: readonly DocumentChange[]): PipelineDocument {
    let { tree, lines } = this;
    for (const { range, text } of changes) {
      if (range === undefined) {
        tree = parseSyntax(text);
        lines = new LineIndex(text);
        continue;
      }
      const [start, end] = [lines.offsetAt(range.start), lines.offsetAt(range.end)];
      const change = { start: Math.min(start, end), end: Math.max(start, end), text };
      tree = editSyntax(tree, change);
      lines = lines.edited(change, tree.text);
    }
    return new PipelineDocument(this.uri, tree.text, { tree, lines, known: this.#known, memory: this.memory });
  }

  /** The first component of that id. */
  find(id: string): ComponentNode | undefined {
    this.#byId ??= new Map(this.components.map((each) => [each.id?.value, each] as const).reverse());
    return this.#byId.get(id);
  }

  /** The component around an offset. */
  componentAt(offset: number): ComponentNode | undefined {
    return this.components.find(({ node }) => node.start <= offset && offset <= node.end);
  }

  /** The path to an offset, from the pipeline itself. */
  pathAt(offset: number): (string | number)[] {
    return pathAt(this.tree.root, offset).slice(this.base.length);
  }

  offsetAt(position: Position): number {
    return this.lines.offsetAt(position);
  }

  range({ start, end }: Range): LspRange {
    return { start: this.lines.positionAt(start), end: this.lines.positionAt(end) };
  }

  #component(node: ObjectNode, index: number): ComponentNode {
    const known = this.#known.get(node);
    if (known?.index === index) return known;
    const component = componentOf(node, index);
    this.#known.set(node, component);
    return component;
  }

  /** The content of a string, without its quotes. */
  inside(node: StringNode): LspRange {
    return this.range({ start: node.start + 1, end: node.closed ? node.end - 1 : node.end });
  }
}

function readAll(text: string): Reading {
  return { tree: parseSyntax(text), lines: undefined, known: new WeakMap(), memory: new AnalysisMemory() };
}

function componentOf(node: ObjectNode, index: number): ComponentNode {
  return {
    index,
    node,
    id: asString(member(node, 'id')?.value),
    provider: asString(member(node, 'provider')?.value),
    config: member(node, 'config')?.value,
    links: [...linksOf(node, 'input', 'lane'), ...linksOf(node, 'control', 'classType')],
  };
}

function linksOf(component: ObjectNode, kind: LinkNode['kind'], type: string): LinkNode[] {
  const list = member(component, kind)?.value;
  if (list?.kind !== 'array') return [];
  return list.items.flatMap((node) =>
    node.kind === 'object'
      ? [{ kind, node, from: asString(member(node, 'from')?.value), type: asString(member(node, type)?.value) }]
      : [],
  );
}

function asString(node: SyntaxNode | undefined): StringNode | undefined {
  return node?.kind === 'string' ? node : undefined;
}
