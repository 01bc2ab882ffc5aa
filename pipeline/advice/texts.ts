import type { AnalysisMemory } from '../analysisMemory.js';
import { isVariableName, variablePrefixes } from '../environment.js';
import { nearest } from '../nearest.js';
import type { ArrayNode, ObjectNode, Range, StringNode, SyntaxNode, SyntaxTree } from '../syntax/nodes.js';
import { isRecord, quote } from '../values.js';
import type { Advice } from './findings.js';
import type { Part, Written } from './parts.js';
import { isSecretKey, isSecretShape, variableFor } from './secrets.js';

/** Where in the pipeline a node stands, as far as the rules of this file ask. */
interface Inside {
  readonly part: Part | undefined;
  /** 0 outside of a component's `config`, 1 in it, … */
  readonly configDepth: number;
  /** Members that are encrypted stand below `secureParameters`. */
  readonly isSecured: boolean;
}

export interface TextsOptions {
  readonly tree: SyntaxTree;
  readonly pipeline: SyntaxNode | undefined;
  readonly components: readonly unknown[];
  readonly parts: ReadonlyMap<string, Part>;
  readonly environment: ReadonlySet<string> | undefined;
  readonly memory: AnalysisMemory | undefined;
}

/** What stands in the texts themselves: keys written twice, variables, secrets. */
export class Texts {
  readonly #components: SyntaxNode | undefined;
  readonly #byIndex: Part[] = [];
  readonly #secretKeys = new Map<string, boolean>();

  constructor(
    private readonly options: TextsOptions,
    private readonly advice: Advice,
  ) {
    const { pipeline, parts } = options;
    this.#components = pipeline?.kind === 'object' ? last(pipeline, 'components') : undefined;
    for (const part of parts.values()) this.#byIndex[part.index] = part;
  }

  visit(): void {
    const { root } = this.options.tree;
    if (root !== undefined) this.#visit(root, '', { part: undefined, configDepth: 0, isSecured: false });
  }

  #visit(node: SyntaxNode, key: string, inside: Inside): void {
    switch (node.kind) {
      case 'string':
        this.#visitString(node, key, inside);
        return;
      case 'array':
        if (node === this.#components) this.#visitComponents(node, key, inside);
        else for (const item of node.items) this.#visit(item, key, inside);
        return;
      case 'object':
        this.#visitObject(node, inside.part, inside);
        return;
      default:
    }
  }

  #visitComponents({ items }: ArrayNode, key: string, inside: Inside): void {
    const { components, memory } = this.options;
    items.forEach((node, index) => {
      const part = this.#byIndex[index];
      const known = part === undefined ? undefined : memory?.of(components[index] as Written);
      if (known?.texts === true) return;
      if (part === undefined || node.kind !== 'object') this.#visit(node, key, inside);
      else this.advice.look('texts', known, () => this.#visitObject(node, part, inside));
    });
  }

  #visitObject(node: ObjectNode, part: Part | undefined, inside: Inside): void {
    if (hasRepeatedKey(node)) this.#adviseRepeated(node);
    const isInConfig = inside.configDepth > 0;
    const isComponent = part !== undefined && inside.part === undefined;
    const usual = { part, configDepth: isInConfig ? inside.configDepth + 1 : 0, isSecured: inside.isSecured };
    for (const { key, value } of node.properties) {
      if (value === undefined || value.kind === 'scalar') continue;
      const entersConfig = isComponent && key.name === 'config';
      if (entersConfig || key.name === 'secureParameters') {
        const configDepth = entersConfig ? 1 : usual.configDepth;
        const isSecured = usual.isSecured || key.name === 'secureParameters';
        this.#visit(value, key.name, { part, configDepth, isSecured });
      } else this.#visit(value, key.name, usual);
    }
  }

  /** The last one counts; the others have no effect. */
  #adviseRepeated(node: ObjectNode): void {
    const counting = new Map(node.properties.map((property) => [property.key.name, property]));
    for (const property of node.properties) {
      const winner = counting.get(property.key.name);
      if (winner === undefined || winner === property || property.value === undefined) continue;
      const message = `${quote(property.key.name)} is written twice in this object; this one has no effect, the last one counts`;
      const related = [{ range: winner.key, message: 'This one counts' }];
      this.advice.add('key_duplicate', message, { range: property.key }, { related, tags: ['unnecessary'] });
    }
  }

  #visitString(node: StringNode, key: string, inside: Inside): void {
    const { value } = node;
    if (value.includes('${')) this.#adviseVariables(node);
    else if (value.length > 0 && !inside.isSecured && this.#isSecret(value, key, inside))
      this.#adviseSecret(node, key, inside);
  }

  #isSecret(value: string, key: string, { part, configDepth }: Inside): boolean {
    if (isSecretShape(value)) return true;
    if (configDepth === 0 || isPlaceholder(value)) return false;
    return this.#isSecretKey(key) || isWriteOnly(part, key);
  }

  /** A pipeline has few names of settings, many times each. */
  #isSecretKey(key: string): boolean {
    const known = this.#secretKeys.get(key) ?? isSecretKey(key);
    this.#secretKeys.set(key, known);
    return known;
  }

  #adviseSecret(node: StringNode, key: string, { part }: Inside): void {
    const name = variableFor(part?.id, key);
    const message = `${part === undefined ? '' : `Component ${quote(part.id)}: `}${quote(key)} holds a secret that everybody who sees the file can read; put it into .env and write "\${${name}}" here`;
    this.advice.add('secret_in_clear', message, { range: node }, { component: part?.id, data: { key, name } });
  }

  #adviseVariables(node: StringNode): void {
    const { value } = node;
    for (let start = value.indexOf('${'); start >= 0;) {
      const end = value.indexOf('}', start + 2);
      if (end < 0) {
        const rest = value.slice(start + 2);
        if (isVariableName(rest)) {
          const message = `The variable ${quote(rest)} has no closing brace, so that nothing is put in`;
          this.advice.add('variable_unclosed', message, { range: this.#rangeIn(node, start, value.length) });
        }
        return;
      }
      this.#adviseVariable(value.slice(start + 2, end), this.#rangeIn(node, start, end + 1));
      start = value.indexOf('${', end + 1);
    }
  }

  #adviseVariable(name: string, range: Range): void {
    if (name === '') return;
    const { environment } = this.options;
    if (!isVariableName(name)) {
      const prefixes = variablePrefixes.join(', ');
      const message = `\${${name.slice(0, 60)}} stays as it is: only variables that begin with ${prefixes} are put in`;
      const upper = name.toUpperCase();
      const near = isVariableName(upper)
        ? [upper]
        : [`MILLRACE_${upper}`].filter((each) => environment?.has(each) === true);
      this.advice.add('variable_not_substituted', message, { range }, { data: { name, nearest: near } });
    } else if (environment !== undefined && !environment.has(name)) {
      const near = nearest(name, [...environment].filter(isVariableName));
      const hint =
        near.length > 0 ? `did you mean ${near.map(quote).join(' or ')}?` : 'add it to .env, unless the server has it';
      const message = `The variable ${quote(name)} is defined in no .env file and not in the environment; ${hint}`;
      this.advice.add('variable_undefined', message, { range }, { data: { name, nearest: near } });
    }
  }

  /** A part of a string, by offsets of its value. With escapes in it the whole string stands for the part. */
  #rangeIn({ start, end, value, closed }: StringNode, from: number, to: number): Range {
    const isPlain =
      end - start === value.length + (closed ? 2 : 1) && this.options.tree.text.startsWith(value, start + 1);
    return isPlain ? { start: start + 1 + from, end: start + 1 + to } : { start, end };
  }
}

function isWriteOnly(part: Part | undefined, key: string): boolean {
  const properties = part?.definition?.config.properties;
  if (!isRecord(properties) || !Object.hasOwn(properties, key)) return false;
  const schema = properties[key];
  return isRecord(schema) && schema.writeOnly === true;
}

/** What stands for a secret until somebody puts it in. */
function isPlaceholder(value: string): boolean {
  return /^(?:<.*>|\*+|x+|\.+|none|null|changeme|your[-_ ].*|\[.*\])$/i.test(value.slice(0, 100));
}

function hasRepeatedKey({ properties }: ObjectNode): boolean {
  if (properties.length > 16) return new Set(properties.map(({ key }) => key.name)).size < properties.length;
  for (let at = 1; at < properties.length; at++) {
    const name = properties[at]?.key.name;
    for (let before = 0; before < at; before++) if (properties[before]?.key.name === name) return true;
  }
  return false;
}

function last(node: ObjectNode, name: string): SyntaxNode | undefined {
  return node.properties.findLast(({ key }) => key.name === name)?.value;
}
