import type { Diagnostic, PipelineResult, Resolved } from './results.js';

/**
 * The two dialects of the socket. `spec` is ours (`mrext_`) and follows the specification to the letter; `peer` is
 * the one of the clients that already exist (`rrext_`). Every difference between them is in this file.
 */
export type Dialect = 'spec' | 'peer';

export const commandPrefix: Record<Dialect, string> = { spec: 'mrext_', peer: 'rrext_' };

const extension = /^([a-z]*)ext_(.+)$/;

export interface CommandName {
  /** The name without its maker's prefix, for example `process` or `execute`. */
  name: string;
  dialect: Dialect;
  /** False for the commands that carry no prefix: auth, deauth, execute, restart, terminate and those of DAP. */
  extension: boolean;
}

/** Reads a command name. Any maker's prefix but the peer's is answered in our dialect. */
export function parseCommand(command: string): CommandName {
  const match = extension.exec(command);
  if (match === null) return { name: command, dialect: 'spec', extension: false };
  return { name: match[2] ?? '', dialect: match[1] === 'rr' ? 'peer' : 'spec', extension: true };
}

/**
 * A pipeline result in the given dialect. Inside the engine `result_types` maps each key to its lane; the
 * specification has the list of keys instead. The argument is not changed.
 */
export function encodeResult(result: PipelineResult, dialect: Dialect): PipelineResult {
  if (dialect === 'peer' || result.result_types === undefined || Array.isArray(result.result_types)) return result;
  return { ...result, result_types: Object.keys(result.result_types) };
}

export interface ValidationOutcome {
  diagnostics: Diagnostic[];
  resolved?: Resolved | undefined;
  chain: string[];
  pipeline?: unknown;
  component?: unknown;
}

/** A validation result in the given dialect: messages as strings (spec) or as objects with `message` (peer). */
export function encodeValidation(outcome: ValidationOutcome, dialect: Dialect): Record<string, unknown> {
  const of = (severity: Diagnostic['severity']): unknown[] =>
    outcome.diagnostics
      .filter((diagnostic) => diagnostic.severity === severity)
      .map((diagnostic) =>
        dialect === 'spec'
          ? diagnostic.message
          : {
              message: diagnostic.message,
              ccode: 1,
              ...(diagnostic.component === undefined ? {} : { id: diagnostic.component }),
            },
      );
  return {
    errors: of('error'),
    warnings: of('warning'),
    ...(dialect === 'spec' ? { diagnostics: outcome.diagnostics } : {}),
    ...(outcome.resolved === undefined ? {} : { resolved: outcome.resolved }),
    chain: outcome.chain,
    ...(outcome.pipeline === undefined ? {} : { pipeline: outcome.pipeline }),
    ...(outcome.component === undefined ? {} : { component: outcome.component }),
  };
}
