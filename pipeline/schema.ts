import type { JsonSchema } from './catalogue.js';
import { clip, isRecord, type Path, quote } from './values.js';

/** A value that a schema does not allow. */
export interface SchemaProblem {
  readonly kind: 'type' | 'value' | 'missing' | 'unknown';
  /** To the value; of what is missing or unknown, to the member itself. */
  readonly path: Path;
  /** A half sentence: `must be a number`. */
  readonly message: string;
  /** All that is allowed, where that is a list. */
  readonly allowed?: readonly unknown[];
}

/**
 * What a JSON schema does not allow about a value. Knows the keywords that definitions use; what it does not know, it
 * allows. Of a text with a variable in it nothing is said, as nobody knows what it will be. Null stands for absent.
 */
export function checkSchema(schema: JsonSchema, value: unknown): SchemaProblem[] {
  return new SchemaReader().check(schema, value);
}

/** The values a schema allows when they are a list: of `enum`, `const` and alternatives made of these. */
export function allowedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum as unknown[];
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  const choices = alternatives(schema)?.map(allowedValues);
  if (choices === undefined || choices.length === 0) return undefined;
  return choices.every((choice) => choice !== undefined) ? choices.flat() : undefined;
}

/** What a schema says, apart from bounds. */
interface Prepared {
  readonly schema: JsonSchema;
  readonly allowed: readonly unknown[] | undefined;
  readonly excluded: readonly unknown[] | undefined;
  readonly types: readonly string[];
  readonly choices: readonly JsonSchema[];
  readonly all: readonly unknown[];
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>> | undefined;
  /** Whether members that are not among the properties are foreseen. */
  readonly isOpen: boolean;
}

/** Checks many values against few schemas, each of which is read once. Schemas must not change meanwhile. */
export class SchemaReader {
  readonly #prepared = new Map<object, Prepared | undefined>();

  /** As `checkSchema`. */
  check(schema: JsonSchema, value: unknown): SchemaProblem[] {
    const problems: SchemaProblem[] = [];
    this.#visit(schema, value, [], problems);
    return problems;
  }

  /** Undefined for what allows everything. */
  #read(schema: unknown): Prepared | undefined {
    if (!isRecord(schema)) return undefined;
    if (this.#prepared.has(schema)) return this.#prepared.get(schema);
    const prepared = prepare(schema);
    this.#prepared.set(schema, prepared);
    return prepared;
  }

  /** `path` is that of the value; it is copied where something is found. */
  #visit(schema: unknown, value: unknown, path: (string | number)[], problems: SchemaProblem[]): void {
    if (value === undefined || value === null) return;
    if (typeof value === 'string' && value.includes('${')) return;
    const read = this.#read(schema);
    if (read === undefined) return;
    const { allowed, excluded, types, choices } = read;
    if (allowed !== undefined) {
      if (!allowed.some((each) => same(each, value))) problems.push(notAllowed(allowed, value, path));
      return;
    }
    if (types.length > 0 && !types.some((type) => isOfType(type, value))) {
      const message = `must be ${types.map(typeName).join(' or ')}, not ${kindOf(value)}`;
      problems.push({ kind: 'type', path: [...path], message });
      return;
    }
    if (choices.length > 0) this.#visitChoices(choices, value, path, problems);
    for (const part of read.all) this.#visit(part, value, path, problems);
    if (excluded?.some((each) => same(each, value)) === true) {
      problems.push({ kind: 'value', path: [...path], message: `must not be ${shown(value)}` });
    }
    const bounds = read.schema;
    if (typeof value === 'number') visitNumber(bounds, value, path, problems);
    else if (typeof value === 'string') visitLength(bounds, 'Length', value, 'characters', path, problems);
    else if (Array.isArray(value)) {
      visitLength(bounds, 'Items', value, 'entries', path, problems);
      const { items } = bounds;
      if (isRecord(items)) value.forEach((item, at) => this.#visitMember(items, item, path, at, problems));
    } else if (isRecord(value)) this.#visitMembers(read, value, path, problems);
  }

  #visitMember(
    schema: unknown,
    value: unknown,
    path: (string | number)[],
    step: string | number,
    problems: SchemaProblem[],
  ): void {
    path.push(step);
    this.#visit(schema, value, path, problems);
    path.pop();
  }

  /** The problems of the alternative that comes nearest, when none allows the value. */
  #visitChoices(
    choices: readonly JsonSchema[],
    value: unknown,
    path: (string | number)[],
    problems: SchemaProblem[],
  ): void {
    let best: SchemaProblem[] | undefined;
    for (const choice of choices) {
      const found: SchemaProblem[] = [];
      this.#visit(choice, value, path, found);
      const missed = found.filter(({ kind }) => kind !== 'unknown');
      if (missed.length === 0) return;
      // Deeper problems mean that the value is of that kind.
      if (best === undefined || depth(found) > depth(best)) best = found;
    }
    if (best === undefined) return;
    if (depth(best) > path.length) problems.push(...best);
    else {
      const types = [...new Set(choices.flatMap(typesOf))];
      const message =
        types.length === 0 || types.some((type) => isOfType(type, value))
          ? (best[0]?.message ?? 'is not allowed')
          : `must be ${types.map(typeName).join(' or ')}, not ${kindOf(value)}`;
      problems.push({ kind: best[0]?.kind ?? 'type', path: [...path], message });
    }
  }

  #visitMembers(
    { required, properties, isOpen }: Prepared,
    value: Record<string, unknown>,
    path: (string | number)[],
    problems: SchemaProblem[],
  ): void {
    for (const key of required) {
      if (Object.hasOwn(value, key) && value[key] !== null && value[key] !== undefined) continue;
      problems.push({ kind: 'missing', path: [...path, key], message: `${quote(key)} is missing` });
    }
    if (properties === undefined) return;
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(properties, key)) this.#visitMember(properties[key], value[key], path, key, problems);
      else if (!isOpen) {
        const allowed = Object.keys(properties);
        problems.push({ kind: 'unknown', path: [...path, key], message: `${quote(key)} is unknown`, allowed });
      }
    }
  }
}

function prepare(schema: JsonSchema): Prepared | undefined {
  if (Object.hasOwn(schema, '$ref')) return undefined;
  const { allOf, not, required, properties, additionalProperties } = schema;
  return {
    schema,
    allowed: allowedValues(schema),
    excluded: isRecord(not) ? allowedValues(not) : undefined,
    types: typesOf(schema),
    choices: alternatives(schema) ?? [],
    all: Array.isArray(allOf) ? (allOf as unknown[]) : [],
    required: Array.isArray(required) ? (required as unknown[]).filter((key) => typeof key === 'string') : [],
    properties: isRecord(properties) ? properties : undefined,
    isOpen:
      Object.hasOwn(schema, 'patternProperties') || isRecord(additionalProperties) || additionalProperties === true,
  };
}

function depth(problems: readonly SchemaProblem[]): number {
  return Math.min(...problems.map(({ path }) => path.length));
}

function visitNumber(schema: JsonSchema, value: number, path: Path, problems: SchemaProblem[]): void {
  const limit = (keyword: string, holds: (bound: number) => boolean, words: string): void => {
    const bound = schema[keyword];
    if (typeof bound !== 'number' || holds(bound)) return;
    problems.push({ kind: 'value', path: [...path], message: `must be ${words} ${bound}` });
  };
  limit('minimum', (bound) => value >= bound, 'at least');
  limit('maximum', (bound) => value <= bound, 'at most');
  limit('exclusiveMinimum', (bound) => value > bound, 'more than');
  limit('exclusiveMaximum', (bound) => value < bound, 'less than');
}

function visitLength(
  schema: JsonSchema,
  what: 'Length' | 'Items',
  value: string | readonly unknown[],
  unit: string,
  path: Path,
  problems: SchemaProblem[],
): void {
  const least = schema[`min${what}`];
  const most = schema[`max${what}`];
  if (typeof least !== 'number' && typeof most !== 'number') return;
  const count = typeof value === 'string' ? [...value].length : value.length;
  if (typeof least === 'number' && count < least) {
    const message = least === 1 ? 'must not be empty' : `must have at least ${least} ${unit}`;
    problems.push({ kind: 'value', path: [...path], message });
  } else if (typeof most === 'number' && count > most) {
    const shownUnit = most === 1 ? unit.replace(/ies$/, 'y').replace(/s$/, '') : unit;
    problems.push({ kind: 'value', path: [...path], message: `must have at most ${most} ${shownUnit}` });
  }
}

function notAllowed(allowed: readonly unknown[], value: unknown, path: Path): SchemaProblem {
  const isKind = allowed.some((each) => typeof each === typeof value);
  const list = allowed.length === 1 ? shown(allowed[0]) : `one of ${allowed.slice(0, 20).map(shown).join(', ')}`;
  return { kind: isKind ? 'value' : 'type', path: [...path], message: `must be ${list}, not ${shown(value)}`, allowed };
}

function alternatives(schema: JsonSchema): JsonSchema[] | undefined {
  const choices = schema.anyOf ?? schema.oneOf;
  return Array.isArray(choices) ? choices.filter(isRecord) : undefined;
}

function typesOf({ type }: JsonSchema): string[] {
  const types: unknown[] = Array.isArray(type) ? type : [type];
  return types.filter((each): each is string => typeof each === 'string');
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'number':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'null':
      return value === null;
    default:
      return true;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

function typeName(type: string): string {
  return typeNames[type] ?? type;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  return shown(value);
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? quote(value) : clip(JSON.stringify(value) ?? String(value));
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}
