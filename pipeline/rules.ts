/** How a finding is shown. `error` says that `validate` refuses the pipeline; everything else is advice. */
export type Severity = 'error' | 'warning' | 'information' | 'hint';

export const severities = ['error', 'warning', 'information', 'hint'] as const satisfies readonly Severity[];

export interface Rule {
  readonly severity: Severity;
  /** What is found, in a few words. */
  readonly title: string;
}

function error(title: string): Rule {
  return { severity: 'error', title };
}

function warning(title: string): Rule {
  return { severity: 'warning', title };
}

function information(title: string): Rule {
  return { severity: 'information', title };
}

function hint(title: string): Rule {
  return { severity: 'hint', title };
}

/** The text is no JSON5. */
const syntaxRules = {
  syntax_value_expected: error('A value is missing'),
  syntax_key_expected: error('A key is missing'),
  syntax_colon_expected: error('A colon is missing'),
  syntax_comma_expected: error('A comma is missing'),
  syntax_comma_unexpected: error('A comma with nothing before it'),
  syntax_character_unexpected: error('A character that means nothing here'),
  syntax_text_after_end: error('Text behind the end of the pipeline'),
  syntax_object_unclosed: error('An object without its closing brace'),
  syntax_array_unclosed: error('A list without its closing bracket'),
  syntax_string_unclosed: error('A text without its closing quote'),
  syntax_comment_unclosed: error('A comment that does not end'),
  syntax_escape_invalid: error('An escape that does not exist'),
  syntax_number_invalid: error('A number that is written wrongly'),
  syntax_word_unknown: error('A word that is no value'),
  syntax_too_deep: error('Too many levels'),
} as const satisfies Record<string, Rule>;

/** There is nothing to read. */
const fileRules = {
  file_too_large: warning('A file that is too large to be checked'),
  file_unreadable: error('A file that cannot be read'),
} as const satisfies Record<string, Rule>;

/** Ring 1: what `validate` says. */
const structureRules = {
  class_type_missing: error('A control link without "classType"'),
  component_not_object: error('A component that is no object'),
  components_invalid: error('No list of components'),
  config_missing: error('A component without "config"'),
  control_invalid: error('"control" is no list'),
  control_link_invalid: error('A control link that is no object'),
  field_type: warning('A field of the wrong type'),
  from_missing: error('A link without "from"'),
  from_unknown: error('A link from a component that does not exist'),
  id_duplicate: error('Two components with one id'),
  id_missing: error('A component without "id"'),
  id_reserved: error('A reserved id'),
  input_invalid: error('"input" is no list'),
  input_link_invalid: error('An input link that is no object'),
  key_forbidden: error('A forbidden key'),
  lane_missing: error('An input link without "lane"'),
  lane_unknown: error('A lane that does not exist'),
  parameters_invalid: error('"parameters" is no object'),
  pipeline_not_object: error('The pipeline is no object'),
  profile_invalid: error('"profile" is no name'),
  profile_section_invalid: error('The section of the profile is no object'),
  provider_missing: error('A component without "provider"'),
  provider_unknown: error('A provider that does not exist'),
  source_invalid: error('"source" is no id'),
  source_missing: error('No source'),
  source_unknown: error('A source that does not exist'),
  too_deep: error('Too many levels'),
  too_many_keys: error('Too many keys'),
  too_many_problems: error('More problems than are listed'),
  version_invalid: error('"version" is no whole number'),
} as const satisfies Record<string, Rule>;

/** Ring 2: what is likely to be wrong. Never an error. */
const adviceRules = {
  components_empty: hint('A pipeline without components'),
  config_key_ignored: hint('A setting that has no effect'),
  config_key_misplaced: warning('A setting beside the section of its profile'),
  config_key_missing: warning('A setting that is needed is missing'),
  config_key_shadowed: warning('A setting that another one overrides'),
  config_key_unknown: warning('A setting that the provider does not have'),
  config_type_wrong: warning('A setting of the wrong type'),
  config_value_invalid: warning('A value that the setting does not take'),
  control_missing: warning('A component without the model, tool or memory it needs'),
  control_not_offered: warning('A control link from a component that cannot serve as this'),
  control_not_taken: warning('A control link to a component that does not use this'),
  control_too_many: warning('More control links than a component takes'),
  cycle: warning('Components in a circle'),
  field_unknown: warning('A field with a mistyped name'),
  id_confusing: hint('An id that is easily confused'),
  key_duplicate: warning('A key that is written twice'),
  lane_not_accepted: warning('A lane that the receiver does not take'),
  lane_not_produced: warning('A lane that the sender does not send'),
  lane_unlisted: information('A lane that is sent or taken only in some cases'),
  link_duplicate: warning('A link that is written twice'),
  link_self: warning('A component linked to itself'),
  no_response: warning('Nothing is returned to the caller'),
  profile_deprecated: warning('A profile that no longer exists'),
  profile_implied: information('A section is used because the default profile has its name'),
  profile_missing: warning('A section of a profile that is not chosen'),
  profile_section_renamed: information('A section under a shortened name'),
  profile_unknown: warning('A profile that the provider does not have'),
  provider_deprecated: hint('Another spelling of a provider'),
  provider_planned: warning('A provider that this version cannot run'),
  secret_in_clear: warning('A secret that everybody can read'),
  source_ambiguous: warning('Several components could be the source'),
  source_not_source: warning('A source that brings in nothing'),
  suppression_refused: warning('A comment that tries to hide an error'),
  suppression_unknown: warning('A comment about a problem that does not exist'),
  suppression_unused: hint('A comment that hides nothing'),
  unreachable: warning('A component that does not run'),
  variable_not_substituted: hint('A variable that is not put in'),
  variable_unclosed: warning('A variable without its closing brace'),
  variable_undefined: information('A variable that is defined nowhere'),
} as const satisfies Record<string, Rule>;

/** Every code of a finding about the text of a pipeline. Codes are permanent; each has a page in `docs/problems`. */
export const rules = { ...fileRules, ...syntaxRules, ...structureRules, ...adviceRules } as const;

export type RuleCode = keyof typeof rules;
export type AdviceCode = keyof typeof adviceRules;

export function isRuleCode(code: string): code is RuleCode {
  return Object.hasOwn(rules, code);
}

/** What compilers call it, which problem matchers read. */
export function compilerWord(severity: Severity): 'error' | 'warning' | 'info' {
  return severity === 'error' || severity === 'warning' ? severity : 'info';
}

/** A setting `{ code: severity }`; what is no code or no severity is left out. */
export function readSeverities(value: unknown): Record<string, Severity | 'off'> {
  const given = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(given.filter(([code, wanted]) => mayBeChanged(code) && isWanted(wanted)));
}

export function isWanted(value: unknown): value is Severity | 'off' {
  return value === 'off' || (severities as readonly unknown[]).includes(value);
}

/** Whether a finding may be hidden or given another severity. Errors may not: the pipeline cannot run with them. */
export function mayBeChanged(code: string): boolean {
  return isRuleCode(code) && rules[code].severity !== 'error';
}

/** The page about a code, relative to the root of the repository. */
export function rulePage(code: RuleCode): string {
  return `docs/problems/${code}.md`;
}
