import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

type Client = typeof import('../../client/typescript/src/index.js');

const entry = resolve(import.meta.dirname, '..', '..', 'client', 'typescript', 'dist', 'index.js');

/** The client as users get it: the built package, with the types of its sources. */
export const built = (await import(pathToFileURL(entry).href)) as Client;
