import { Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

export const hashDefinition: Definition = {
  id: 'hash',
  title: 'Fingerprint',
  description:
    "Puts the SHA-512 of an object's bytes, as hexadecimal digits, into its metadata as `signature` and passes the bytes on.",
  classType: ['data'],
  capabilities: [],
  lanes: { tags: ['tags'] },
  control: { takes: {}, offers: [] },
  config: Type.Object({}),
  defaultProfile: 'default',
  profiles: { default: {} },
};
