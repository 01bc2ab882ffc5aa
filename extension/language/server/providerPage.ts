import { readFileSync } from 'node:fs';
import { pathOf } from '../addresses.js';

/** Where a provider is documented; undefined where that is not known. */
export type ProviderPage = (id: string) => string | undefined;

/**
 * Leads to the sections of `docs/providers.md`. Editors open the page as text: they go to lines, not to headings.
 *
 * @param address of the page; anything that is no readable file leads nowhere
 */
export function providerPage(address: unknown): ProviderPage {
  let sections: ReadonlyMap<string, number> | undefined;
  return (id) => {
    const line = typeof address === 'string' ? (sections ??= sectionsOf(address)).get(id) : undefined;
    return line === undefined ? undefined : `${String(address)}#L${line}`;
  };
}

/** The lines of the headings, from 1. */
function sectionsOf(address: string): ReadonlyMap<string, number> {
  try {
    const lines = readFileSync(pathOf(address) ?? '', 'utf8').split(/\r?\n/);
    return new Map(lines.flatMap((text, at) => (text.startsWith('## ') ? [[text.slice(3).trim(), at + 1]] : [])));
  } catch {
    // An editor without the pages shows what it knows.
    return new Map();
  }
}
