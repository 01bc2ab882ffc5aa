import { type Static, Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

const config = Type.Object({
  splitter: Type.Optional(
    Type.Union(
      [
        Type.Literal('RecursiveCharacterTextSplitter'),
        Type.Literal('CharacterTextSplitter'),
        Type.Literal('MarkdownTextSplitter'),
        Type.Literal('LatexTextSplitter'),
        Type.Literal('NLTKTextSplitter'),
        Type.Literal('SpacyTextSplitter'),
      ],
      {
        description:
          'Where text may be cut: at paragraphs, lines and words, at one separator, at headings, at sentences.',
      },
    ),
  ),
  mode: Type.Optional(
    Type.Union([Type.Literal('strlen'), Type.Literal('tokens')], {
      description: 'Whether the size of a chunk is counted in characters (`strlen`) or in estimated tokens (`tokens`).',
    }),
  ),
  strlen: Type.Optional(Type.Integer({ minimum: 1, description: 'Most characters in a chunk, in mode `strlen`.' })),
  tokens: Type.Optional(Type.Integer({ minimum: 1, description: 'Most tokens in a chunk, in mode `tokens`.' })),
  separators: Type.Optional(
    Type.String({
      description: "Quoted strings with commas between them, tried in order, such as '\\n\\n', '\\n', ' ', ''.",
    }),
  ),
  separator: Type.Optional(Type.String({ description: 'One quoted string, such as "\\n"; a blank line by default.' })),
  model: Type.Optional(
    Type.String({
      description: 'Name of a spaCy model; its first two letters choose the language of the sentence rules.',
    }),
  ),
  bytes_per_token: Type.Optional(
    Type.Number({ exclusiveMinimum: 0, default: 3, description: 'UTF-8 bytes counted as one token.' }),
  ),
  max_model_tokens: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Tokens the embedding model takes; no chunk gets longer.' }),
  ),
  token_safety_margin: Type.Optional(
    Type.Integer({ minimum: 0, default: 32, description: 'Tokens kept free below `max_model_tokens`.' }),
  ),
});

export type PreprocessorConfig = Static<typeof config>;

const size = { mode: 'strlen', strlen: 512 };

export const preprocessorDefinition: Definition = {
  id: 'preprocessor_langchain',
  title: 'Split text',
  description:
    'Cuts text and tables into chunks of at most 512 characters (or tokens) and emits them as documents, numbered through the object.',
  classType: ['preprocessor'],
  capabilities: [],
  lanes: { text: ['documents'], table: ['documents'] },
  control: { takes: {}, offers: [] },
  config,
  defaultProfile: 'default',
  profiles: {
    default: { splitter: 'RecursiveCharacterTextSplitter', ...size },
    recursive: { splitter: 'RecursiveCharacterTextSplitter', separators: '', ...size },
    character: { splitter: 'CharacterTextSplitter', separator: '', ...size },
    markdown: { splitter: 'MarkdownTextSplitter', ...size },
    latex: { splitter: 'LatexTextSplitter', ...size },
    nltk: { splitter: 'NLTKTextSplitter', ...size },
    spacy: { splitter: 'SpacyTextSplitter', model: 'en_core_web_sm', pipeline: '', ...size },
    custom: { splitter: 'RecursiveCharacterTextSplitter', ...size },
  },
};
