import { Ajv, type ValidateFunction } from 'ajv';
import { errorText } from '../../protocol/errors.js';
import type { Definition } from '../../pipeline/catalogue.js';

/** Checks resolved configurations against the schemas of their providers, each compiled on first use. */
export class ConfigCheck {
  private readonly ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, logger: false });
  private readonly compiled = new Map<string, ValidateFunction>();

  /** The problems, as sentences; empty when there are none. */
  readonly check = ({ id, config: schema }: Definition, config: Record<string, unknown>): string[] => {
    let validate = this.compiled.get(id);
    if (validate === undefined) {
      try {
        validate = this.ajv.compile(schema);
      } catch (thrown) {
        return [`the schema of the provider is not valid: ${errorText(thrown)}`];
      }
      this.compiled.set(id, validate);
    }
    if (validate(config)) return [];
    return (validate.errors ?? []).slice(0, 5).map(({ instancePath, message, params }) => {
      const where = `config${instancePath.replaceAll('/', '.')}`;
      const allowed = (params as { allowedValues?: unknown[] }).allowedValues;
      return `${where} ${message ?? 'is not valid'}${allowed === undefined ? '' : `: ${allowed.map(String).join(', ')}`}`;
    });
  };
}
