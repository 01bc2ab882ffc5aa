import { member, nodeAt } from '../../../../pipeline/syntax/navigation.js';
import type { ObjectNode, PropertyNode, StringNode } from '../../../../pipeline/syntax/nodes.js';
import { isRecord } from '../../../../pipeline/values.js';
import { choicesOf, definitionOf, settingSchema } from '../facts.js';
import { quoted, styleOf, writtenValue } from '../style.js';
import { addMember, elementAt, insertAt, removeElement, replaceRange, setMember } from './edits.js';
import { changeTo, type Mend, type Mender, namesIn, type Problem } from './mend.js';
import { removal, renameKey, safe, writtenAt } from './names.js';

/** Settings, profiles, secrets and variables. */
export const configMends: Readonly<Record<string, Mender>> = {
  config_key_unknown: (problem) => [...renameKey(problem), ...removal(problem, `Remove "${writtenAt(problem)}"`)],
  config_key_ignored: (problem) => removal(problem, `Remove "${writtenAt(problem)}", which has no effect`).map(safe),
  config_key_shadowed: (problem) => removal(problem, `Remove "${writtenAt(problem)}", which has no effect`).map(safe),
  config_key_misplaced: moveIntoSection,
  config_key_missing: addSetting,
  config_type_wrong: convert,
  config_value_invalid: (problem) => {
    const names = namesIn(problem, 'nearest', 'candidates');
    return names.length > 0 ? changeTo(problem, names.slice(0, 6)) : [...chooseOther(problem), ...clamp(problem)];
  },
  profile_unknown: (problem) => [
    ...changeTo(problem, namesIn(problem, 'nearest').slice(0, 3)),
    ...removal(problem, 'Use the default profile'),
  ],
  profile_invalid: (problem) => removal(problem, 'Use the default profile'),
  profile_deprecated: (problem) => changeTo(problem, namesIn(problem, 'replacement')).map(safe),
  profile_section_renamed: (problem) => renameKey(problem).map(safe),
  profile_implied: chooseProfile,
  profile_missing: chooseProfile,
  secret_in_clear: extractSecret,
  variable_undefined: (problem) => {
    const { found } = problem;
    const [name] = namesIn(problem, 'name');
    const others = changeVariable(problem, namesIn(problem, 'nearest'));
    if (name === undefined) return others;
    const title = `Define ${name} in .env`;
    return [...others, { title, edits: [], variable: { name, value: '' } }].filter(() => found.code !== '');
  },
  variable_not_substituted: (problem) => changeVariable(problem, namesIn(problem, 'nearest')),
  variable_unclosed: ({ document, found: { range } }) => {
    const name = /^\$\{\w*/.exec(document.text.slice(range.start, range.end))?.[0];
    return name === undefined
      ? []
      : [{ title: 'Close the brace', edits: [insertAt(range.start + name.length, '}')], isSafe: true }];
  },
};

function changeVariable({ document, found: { range } }: Problem, names: readonly string[]): Mend[] {
  // With escapes around it, only the whole text has a place.
  if (!document.text.startsWith('${', range.start)) return [];
  return names.map((name) => ({ title: `Change to "${name}"`, edits: [replaceRange(range, `\${${name}}`)] }));
}

/** The setting goes where the profile reads it. */
function moveIntoSection(problem: Problem): Mend[] {
  const { document, found, component } = problem;
  const at = elementAt(document.tree.root, found.range);
  const [section] = namesIn(problem, 'replacement');
  const { config } = component ?? {};
  if (at?.element.kind !== 'property' || section === undefined || config?.kind !== 'object') return [];
  const { key, value } = at.element;
  if (value === undefined) return [];
  const written = document.text.slice(value.start, value.end);
  const present = member(config, section)?.value;
  const title = `Move it into "${section}"`;
  if (present?.kind === 'object') {
    const edits = [
      ...removeElement(document, at.parent, at.element),
      ...addMember(document, present, key.name, written),
    ];
    return [{ title, edits }];
  }
  if (present !== undefined) return [];
  const style = styleOf(document);
  const name = document.text.slice(key.start, key.end);
  const own = /^[\w$]+$/.test(section) && style.bareKeys ? section : quoted(section, style.quote);
  return [{ title, edits: [replaceRange(at.element, `${own}: { ${name}: ${written} }`)] }];
}

function addSetting({ document, found, component, catalogue }: Problem): Mend[] {
  const definition = definitionOf(component, catalogue);
  const path = found.path ?? [];
  const name = found.data?.key ?? path.at(-1);
  const at = nodeAt(document.tree.root, path.slice(0, -1));
  const { config } = component ?? {};
  const section = found.data?.section;
  const inSection = typeof section === 'string' ? member(config, section)?.value : undefined;
  const target = [at, inSection, config].find((node): node is ObjectNode => node?.kind === 'object');
  if (definition === undefined || typeof name !== 'string' || target === undefined) return [];
  const schema =
    settingSchema(definition, path.slice(path.indexOf('config') + 1)) ?? settingSchema(definition, [name]) ?? {};
  const edits = addMember(document, target, name, writtenValue(sample(schema, name), styleOf(document)));
  return [{ title: `Add "${name}"`, edits }];
}

/** A value that the schema allows, to be changed by whoever knows better. */
function sample(schema: Readonly<Record<string, unknown>>, name: string): unknown {
  const [choice] = choicesOf(schema);
  const examples: unknown = Array.isArray(schema.examples) ? schema.examples[0] : undefined;
  const known = schema.default ?? examples ?? choice;
  if (known !== undefined) return known;
  switch (schema.type) {
    case 'number':
    case 'integer':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'array':
      return typeof schema.minItems === 'number' && isRecord(schema.items) ? [sample(schema.items, name)] : [];
    case 'object': {
      const properties = isRecord(schema.properties) ? schema.properties : {};
      const required = Array.isArray(schema.required) ? schema.required.filter((key) => typeof key === 'string') : [];
      return Object.fromEntries(
        required.map((key) => [key, sample(isRecord(properties[key]) ? properties[key] : {}, key)]),
      );
    }
    default:
      return name;
  }
}

/** `"3"` is meant as 3, and 3 as `"3"`, where the other is wanted. */
function convert(problem: Problem): Mend[] {
  const { document, found } = problem;
  const schema = schemaOf(problem);
  const { start, end } = found.range;
  const written = document.text.slice(start, end);
  const plain = written.replace(/^["']|["']$/g, '');
  const style = styleOf(document);
  const title = (text: string): string => `Change to ${text.slice(0, 40)}`;
  const mend = (text: string): Mend[] => [{ title: title(text), edits: [replaceRange(found.range, text)] }];
  switch (schema?.type) {
    case 'number':
    case 'integer':
      if (/^-?\d+(\.\d+)?$/.test(plain) && (schema.type === 'number' || Number.isInteger(Number(plain))))
        return mend(String(Number(plain)));
      if (schema.type === 'integer' && Number.isFinite(Number(plain)) && plain !== '')
        return mend(String(Math.round(Number(plain))));
      return schema.default === undefined ? [] : mend(writtenValue(schema.default, style));
    case 'boolean':
      if (/^(true|yes|on|1)$/i.test(plain)) return mend('true');
      return /^(false|no|off|0)$/i.test(plain) ? mend('false') : [...mend('true'), ...mend('false')];
    case 'string':
      return /^[\w.+-]+$/.test(written) ? mend(quoted(written, style.quote)) : [];
    case 'array':
      return [{ title: 'Put it into a list', edits: [replaceRange(found.range, `[${written}]`)] }];
    default:
      return [];
  }
}

function chooseOther(problem: Problem): Mend[] {
  const choices = choicesOf(schemaOf(problem) ?? {}).filter((each) => typeof each !== 'string');
  return choices.slice(0, 6).map((value) => {
    const text = JSON.stringify(value);
    return { title: `Change to ${text}`, edits: [replaceRange(problem.found.range, text)] };
  });
}

/** The nearest number that is allowed. */
function clamp(problem: Problem): Mend[] {
  const { found, document } = problem;
  const { minimum, maximum, type } = schemaOf(problem) ?? {};
  const value = Number(document.text.slice(found.range.start, found.range.end));
  if (Number.isNaN(value)) return [];
  const near =
    typeof minimum === 'number' && value < minimum
      ? minimum
      : typeof maximum === 'number' && value > maximum
        ? maximum
        : type === 'integer'
          ? Math.round(value)
          : undefined;
  if (near === undefined || near === value) return [];
  return [{ title: `Change to ${near}`, edits: [replaceRange(found.range, String(near))] }];
}

function schemaOf({ found, component, catalogue }: Problem): Record<string, unknown> | undefined {
  const definition = definitionOf(component, catalogue);
  const path = found.path ?? [];
  const at = path.indexOf('config');
  return definition === undefined || at < 0 ? undefined : settingSchema(definition, path.slice(at + 1));
}

/** Writes the profile down whose section is there. */
function chooseProfile(problem: Problem): Mend[] {
  const { document, found, component } = problem;
  const { config } = component ?? {};
  const key = found.path?.at(-1);
  if (config?.kind !== 'object' || typeof key !== 'string') return [];
  const edits = setMember(document, config, 'profile', quoted(key, styleOf(document).quote));
  return [{ title: `Choose the profile "${key}"`, edits }];
}

/** The secret goes into `.env`, which is not shared, and its name into the pipeline. */
function extractSecret(problem: Problem): Mend[] {
  const { document, found } = problem;
  const node = stringAt(document.tree.root, found.range.start);
  const [name] = namesIn(problem, 'name');
  if (node === undefined || name === undefined) return [];
  const { quote } = styleOf(document);
  const opening = document.text[node.start] ?? quote;
  return [
    {
      title: `Move the secret into .env as ${name}`,
      edits: [replaceRange(node, `${opening}\${${name}}${opening}`)],
      variable: { name, value: node.value },
    },
  ];
}

function stringAt(root: Parameters<typeof elementAt>[0], offset: number): StringNode | undefined {
  let node = root;
  while (node !== undefined) {
    if (node.kind === 'string') return node.start === offset ? node : undefined;
    const children: readonly PropertyNode['value'][] =
      node.kind === 'object' ? node.properties.map(({ value }) => value) : node.kind === 'array' ? node.items : [];
    node = children.find((each) => each !== undefined && each.start <= offset && offset < each.end);
  }
  return undefined;
}
