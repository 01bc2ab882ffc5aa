import { MillraceError } from '../../../protocol/errors.js';
import type { Component, TaskContext } from '../../runtime/component.js';
import { documentsOf } from '../documents.js';
import { countWords } from '../words.js';
import type { PreprocessorConfig } from './definition.js';
import { type Measure, both, characters, utf8Bytes } from './measure.js';
import { parseQuoted } from './quoted.js';
import {
  type Splitter,
  capped,
  latexSeparators,
  markdownSeparators,
  plainSeparators,
  recursiveSplitter,
  sentenceSplitter,
  separatorSplitter,
} from './splitters.js';

export const component: Component<PreprocessorConfig> = {
  start: (context) => {
    const split = makeSplitter(context);
    return {
      pipe: (pipe) => {
        let text = '';
        let chunkId = 0;
        let tableId = 0;

        const emitChunks = (content: string, facts: { isTable: boolean; tableId: number }) => {
          pipe.countWords(countWords(content), Buffer.byteLength(content));
          if (!pipe.listens('documents')) return;
          const make = documentsOf(pipe.object);
          const documents = split(content).map((chunk) => make(chunk, { chunkId: chunkId++, ...facts }));
          return documents.length === 0 ? undefined : pipe.emit.documents(documents);
        };
        const reset = (): void => {
          text = '';
          chunkId = 0;
          tableId = 0;
        };

        return {
          open: reset,
          lanes: {
            text(item) {
              text += `${item}\n`;
            },
            table: (item) => emitChunks(item, { isTable: true, tableId: tableId++ }),
          },
          closing() {
            const content = text;
            text = '';
            return content === '' ? undefined : emitChunks(content, { isTable: false, tableId: 0 });
          },
          close: reset,
        };
      },
    };
  },
};

function makeSplitter(context: TaskContext<PreprocessorConfig>): Splitter {
  const { config } = context;
  const bytesPerToken = config.bytes_per_token ?? 3;
  const tokens = (count: number): Measure => utf8Bytes(Math.max(1, Math.floor(count * bytesPerToken)));
  const wanted = config.mode === 'tokens' ? tokens(config.tokens ?? 512) : characters(config.strlen ?? 512);
  if (config.max_model_tokens === undefined) return splitterOf(context, wanted);

  const room = config.max_model_tokens - (config.token_safety_margin ?? 32);
  if (room < 1) {
    throw new MillraceError(
      'start_failed',
      `max_model_tokens (${config.max_model_tokens}) leaves no room after token_safety_margin (${config.token_safety_margin ?? 32})`,
    );
  }
  const cap = tokens(room);
  return capped(splitterOf(context, both(wanted, cap)), cap);
}

function splitterOf({ config, warn }: TaskContext<PreprocessorConfig>, measure: Measure): Splitter {
  switch (config.splitter) {
    case undefined:
    case 'RecursiveCharacterTextSplitter': {
      const separators = quoted('separators', config.separators);
      return recursiveSplitter(separators.length === 0 ? plainSeparators : separators, measure);
    }
    case 'CharacterTextSplitter': {
      const separators = quoted('separator', config.separator);
      if (separators.length > 1) throw badQuotes('separator', config.separator);
      return separatorSplitter(separators[0] ?? '\n\n', measure);
    }
    case 'MarkdownTextSplitter':
      return recursiveSplitter(markdownSeparators, measure);
    case 'LatexTextSplitter':
      return recursiveSplitter(latexSeparators, measure);
    case 'NLTKTextSplitter':
    case 'SpacyTextSplitter': {
      const locale = config.splitter === 'SpacyTextSplitter' ? (config.model ?? 'en').slice(0, 2) : 'en';
      warn(
        `${config.splitter} is approximated by Unicode sentence rules; chunks may differ from those of the original`,
      );
      return sentenceSplitter(Intl.Segmenter.supportedLocalesOf([locale])[0] ?? 'en', measure);
    }
    default:
      throw new MillraceError('start_failed', `Unknown splitter "${String(config.splitter)}"`, {
        hint: 'Use RecursiveCharacterTextSplitter or another name of the documentation.',
      });
  }
}

function quoted(key: string, value: string | undefined): string[] {
  const strings = parseQuoted(value ?? '');
  if (strings === undefined) throw badQuotes(key, value);
  return strings;
}

function badQuotes(key: string, value: string | undefined): MillraceError {
  const example = key === 'separator' ? '"\\n"' : `'\\n\\n', '\\n', ' ', ''`;
  return new MillraceError('start_failed', `"${key}" must be quoted text such as ${example}, not ${value}`);
}
