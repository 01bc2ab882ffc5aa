/** Offsets are in UTF-16 units from the start of the text; `end` is the offset behind the last unit. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export interface ObjectNode extends Range {
  readonly kind: 'object';
  readonly properties: readonly PropertyNode[];
  /** Whether its closing brace is there. */
  readonly closed: boolean;
}

export interface PropertyNode extends Range {
  readonly kind: 'property';
  readonly key: KeyNode;
  /** Undefined while it has not been written. */
  readonly value: SyntaxNode | undefined;
}

export interface KeyNode extends Range {
  readonly kind: 'key';
  readonly name: string;
}

export interface ArrayNode extends Range {
  readonly kind: 'array';
  readonly items: readonly SyntaxNode[];
  readonly closed: boolean;
}

export interface StringNode extends Range {
  readonly kind: 'string';
  readonly value: string;
  readonly closed: boolean;
}

export interface ScalarNode extends Range {
  readonly kind: 'scalar';
  readonly value: number | boolean | null;
}

/** A word that is no value (yet), such as `tru`. */
export interface WordNode extends Range {
  readonly kind: 'word';
  readonly word: string;
}

export type SyntaxNode = ObjectNode | ArrayNode | StringNode | ScalarNode | WordNode;

export type SyntaxProblemCode =
  | 'value_expected'
  | 'key_expected'
  | 'colon_expected'
  | 'comma_expected'
  | 'comma_unexpected'
  | 'character_unexpected'
  | 'text_after_end'
  | 'object_unclosed'
  | 'array_unclosed'
  | 'string_unclosed'
  | 'comment_unclosed'
  | 'escape_invalid'
  | 'number_invalid'
  | 'word_unknown'
  | 'too_deep';

export interface SyntaxProblem extends Range {
  readonly code: SyntaxProblemCode;
  readonly message: string;
}

export interface Comment extends Range {
  readonly kind: 'line' | 'block';
}

/** A JSON5 text as it stands, complete or not. */
export interface SyntaxTree {
  readonly text: string;
  /** Undefined for a text without a value. */
  readonly root: SyntaxNode | undefined;
  readonly comments: readonly Comment[];
  /** In the order of the text. Without any the text is JSON5. */
  readonly problems: readonly SyntaxProblem[];
}
