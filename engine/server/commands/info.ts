import { platform } from 'node:os';
import { encodeValidation, type ValidationOutcome } from '../../../protocol/dialect.js';
import { MillraceError } from '../../../protocol/errors.js';
import type { Catalogue } from '../../../pipeline/catalogue.js';
import { checkJson } from '../../../pipeline/document.js';
import { substitute } from '../../../pipeline/environment.js';
import { type Call, type CommandTable, extension } from '../command.js';
import { describeService, describeServices } from '../describeServices.js';
import { isRecord } from '../../../pipeline/values.js';
import { textField } from '../fields.js';

export interface InfoDeps {
  readonly catalogue: Catalogue;
  readonly version: string;
  readonly validation: {
    pipeline(pipeline: unknown, source?: string): ValidationOutcome;
    component(component: unknown): ValidationOutcome;
  };
  readonly variables: (keyId: string) => Readonly<Record<string, string>>;
}

/** What the server can do, and whether a pipeline is well formed. */
export function infoCommands(deps: InfoDeps): CommandTable {
  return {
    ping: extension(() => ({ pong: true })),
    public_probe: extension(() => ({
      version: deps.version,
      capabilities: ['oss'],
      platform: platform(),
      apps: [],
      server: 'millrace',
    })),
    public_catalog: extension(() => ({ apps: [], total: 0, offset: 0, limit: 20 })),
    services: extension((call) => services(deps.catalogue, call)),
    validate: extension((call) => validate(deps, call)),
  };
}

function services(catalogue: Catalogue, call: Call): object {
  const name = textField(call.arguments, 'service');
  if (name === undefined) return describeServices(catalogue);
  const definition = catalogue.find(name);
  if (definition === undefined) {
    throw new MillraceError(
      'service_unknown',
      `Service '${name.slice(0, 200)}' not found. Please check the service name and try again.`,
    );
  }
  return describeService(definition);
}

function validate(deps: InfoDeps, { arguments: given, dialect, principal }: Call): object {
  const { pipeline } = given;
  const component =
    given.component ?? (isRecord(pipeline) && pipeline.components === undefined ? pipeline.component : undefined);
  const expand = (value: unknown): unknown => {
    checkJson(value);
    return substitute(value, deps.variables(principal.keyId), { redactOthers: dialect === 'peer' }).value;
  };
  if (component !== undefined && component !== null) {
    return { version: 1, ...encodeValidation(deps.validation.component(expand(component)), dialect) };
  }
  if (pipeline === undefined || pipeline === null) {
    throw new MillraceError('invalid_argument', 'Neither `pipeline` nor `component` was given');
  }
  return encodeValidation(deps.validation.pipeline(expand(pipeline), textField(given, 'source')), dialect);
}
