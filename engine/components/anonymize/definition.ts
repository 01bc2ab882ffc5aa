import { type Static, Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

const config = Type.Object({
  anonymizeChar: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1,
      default: '█',
      description: 'Replaces every character of what is found, so that the length of the text stays the same.',
    }),
  ),
  model: Type.Optional(
    Type.String({
      description: 'The model the profile names. It is not loaded: rules and an English name finder stand in for it.',
    }),
  ),
  anonymizeAll: Type.Optional(Type.Boolean({ description: 'Has no effect here.' })),
});

export type AnonymizeConfig = Static<typeof config>;

const models: Record<string, string> = {
  custom: '',
  glinerMultiPII: 'urchade/gliner_multi_pii-v1',
  glinerPIILarge: 'knowledgator/gliner-pii-large-v1.0',
  glinerMergedLarge: 'xomad/gliner-model-merge-large-v1.0',
  glinerSmall: 'urchade/gliner_small-v2.1',
  glinerMedium: 'urchade/gliner_medium-v2.1',
  glinerLarge: 'urchade/gliner_large-v2.1',
  glinerMulti: 'urchade/gliner_multi',
  gretelSmall: 'gretelai/gretel-gliner-bi-small-v1.0',
  gretelLarge: 'gretelai/gretel-gliner-bi-large-v1.0',
  glinerKo: 'taeminlee/gliner_ko',
  glinerIt: 'DeepMount00/GLiNER_PII_ITA',
  glinerAr: 'NAMAA-Space/gliner_arabic-v2.1',
  glinerCommunitySmall: 'gliner-community/gliner_small-v2.5',
  glinerCommunityMedium: 'gliner-community/gliner_medium-v2.5',
  glinerCommunityLarge: 'gliner-community/gliner_large-v2.5',
  glinerBiomedSmall: 'Ihor/gliner-biomed-small-v1.0',
  glinerBiomedLarge: 'Ihor/gliner-biomed-large-v1.0',
};

export const anonymizeDefinition: Definition = {
  id: 'anonymize_text',
  title: 'Anonymize',
  description:
    'Masks personal data: e-mail addresses, phone, account, card and identity numbers, IP addresses, dates of birth, credentials in URLs, and English names of people, places and organisations. Text is masked as a whole, documents one by one.',
  classType: ['text'],
  capabilities: [],
  lanes: { text: ['text'], documents: ['documents'] },
  control: { takes: {}, offers: [] },
  aliases: ['anonymize'],
  config,
  defaultProfile: 'glinerSmall',
  profiles: Object.fromEntries(
    Object.entries(models).map(([name, model]) => [name, { model, anonymizeChar: '█', anonymizeAll: false }]),
  ),
};
