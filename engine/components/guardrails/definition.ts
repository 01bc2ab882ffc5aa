import { type Static, Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

const formats = ['', 'json', 'markdown', 'bullet_list', 'numbered_list'] as const;

const config = Type.Object({
  policy_mode: Type.Optional(
    Type.Union([Type.Literal('block'), Type.Literal('warn'), Type.Literal('log')], {
      description:
        '`block` drops what violates a rule, `warn` passes it on with a warning, `log` passes it on and notes it in the output.',
    }),
  ),
  enable_prompt_injection: Type.Optional(
    Type.Boolean({ description: 'Looks for attempts in questions to override instructions.' }),
  ),
  enable_content_safety: Type.Optional(
    Type.Boolean({ description: 'Looks for dangerous instructions and threats in answers.' }),
  ),
  enable_pii_detection: Type.Optional(Type.Boolean({ description: 'Looks for personal data in answers.' })),
  enable_hallucination_check: Type.Optional(
    Type.Boolean({ description: 'Compares the words of an answer with the documents seen for the same object.' }),
  ),
  max_input_length: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Most characters of a question; 0 means no limit.' }),
  ),
  max_tokens_estimate: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Most tokens of a question, estimated as 1.3 per word; 0 means no limit.',
    }),
  ),
  expected_format: Type.Optional(
    Type.Union(
      formats.map((format) => Type.Literal(format)),
      { description: 'The form an answer must have; empty for any.' },
    ),
  ),
  blocked_topics: Type.Optional(Type.Array(Type.String(), { description: 'Words that a question must not contain.' })),
  allowed_topics: Type.Optional(
    Type.Array(Type.String(), { description: 'Words of which a question must contain one.' }),
  ),
});

export type GuardrailsConfig = Static<typeof config>;

const common = {
  max_input_length: 0,
  max_tokens_estimate: 0,
  expected_format: '',
  blocked_topics: [],
  allowed_topics: [],
};

export const guardrailsDefinition: Definition = {
  id: 'guardrails',
  title: 'Guardrails',
  description:
    'Checks questions for injected instructions, topics and length, and answers for unsafe content, personal data, form and grounding. Passes on what the policy allows.',
  classType: ['guard'],
  capabilities: ['experimental'],
  lanes: { questions: ['questions'], answers: ['answers'], documents: ['documents'] },
  control: { takes: {}, offers: [] },
  config,
  defaultProfile: 'basic',
  profiles: {
    basic: {
      ...common,
      policy_mode: 'warn',
      enable_prompt_injection: true,
      enable_content_safety: false,
      enable_pii_detection: true,
      enable_hallucination_check: false,
    },
    strict: {
      ...common,
      policy_mode: 'block',
      enable_prompt_injection: true,
      enable_content_safety: true,
      enable_pii_detection: true,
      enable_hallucination_check: true,
      max_input_length: 50000,
      max_tokens_estimate: 4096,
    },
    custom: {
      ...common,
      policy_mode: 'warn',
      enable_prompt_injection: true,
      enable_content_safety: true,
      enable_pii_detection: true,
      enable_hallucination_check: true,
    },
  },
};
