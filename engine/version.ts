import type { VersionInfo } from './server/http/context.js';

/** Kept equal to engine/package.json by a test. */
export const version: VersionInfo = { version: '0.1.0', hash: '', stamp: '' };
