import type { Doc } from '../../../protocol/data.js';
import type { Component } from '../../runtime/component.js';
import { anonymize } from './anonymizer.js';
import type { AnonymizeConfig } from './definition.js';
import { loadNameFinder } from './names.js';

export const component: Component<AnonymizeConfig> = {
  async start({ config, warn }) {
    const mask = config.anonymizeChar || '█';
    const model = config.model ? `The model ${config.model}` : 'The model of the profile';
    warn(`${model} is approximated by rules and an English name finder; it may find other names than these do`);
    const findNames = await loadNameFinder();

    return {
      pipe: (pipe) => {
        let text = '';
        const clean = (content: string): Promise<string> => anonymize(content, mask, findNames, pipe.signal);
        const cleanDocument = async (doc: Doc): Promise<Doc> =>
          doc.type === 'Document' || doc.type === 'Text'
            ? { ...doc, page_content: await clean(doc.page_content) }
            : doc;

        return {
          open() {
            text = '';
          },
          lanes: {
            text(item) {
              text += item;
            },
            async documents(items) {
              const cleaned: Doc[] = [];
              for (const item of items) cleaned.push(await cleanDocument(item));
              if (cleaned.length > 0) await pipe.emit.documents(cleaned);
            },
          },
          async closing() {
            const content = text;
            text = '';
            if (content !== '') await pipe.emit.text(await clean(content));
          },
          close() {
            text = '';
          },
        };
      },
    };
  },
};
