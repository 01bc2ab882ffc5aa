import { type Catalogue, makeCatalogue } from '../../pipeline/catalogue.js';
import { builtinComponents } from './builtin.js';
import { plannedProviders } from './planned.js';

/** The providers of this release: those that run, and those that are only known by name. */
export function builtinCatalogue(): Catalogue {
  return makeCatalogue(
    builtinComponents.map(({ definition }) => definition),
    plannedProviders,
  );
}
