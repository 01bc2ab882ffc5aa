import { type Archive, plainName } from '../archive.js';
import { type Extraction, emptyExtraction } from '../extraction.js';
import { errorText } from '../../../../protocol/errors.js';

/** The files of an archive, to be handled one by one; those that cannot be unpacked give warnings. */
export function extractArchive(archive: Archive): Extraction {
  const extraction = emptyExtraction();
  for (const name of archive.names()) {
    if (name.endsWith('/')) continue;
    try {
      const bytes = archive.read(name);
      if (bytes) extraction.embedded.push({ name: plainName(name), mimeType: '', bytes });
    } catch (error) {
      extraction.warnings.push(errorText(error));
    }
  }
  return extraction;
}
