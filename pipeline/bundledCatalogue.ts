import catalog from './catalog.json' with { type: 'json' };
import { type Catalogue, type Definition, makeCatalogue, type PlannedProvider } from './catalogue.js';

/** The providers of the engine of this version, for programs that are not connected to a server. */
export function bundledCatalogue(): Catalogue {
  return makeCatalogue(catalog.providers as unknown as Definition[], catalog.planned as unknown as PlannedProvider[]);
}
