import { debugType } from '../identifiers.js';
import type { RunSettings } from '../runs/runHost.js';
import type { LaunchConfiguration } from './configuration.js';

/** What the editor passes when somebody debugs without a launch.json: at most what it adds itself. */
export function isEmptyConfiguration(configuration: Readonly<Record<string, unknown>>): boolean {
  return configuration.type === undefined && configuration.request === undefined;
}

/** A configuration that runs one pipeline. */
export function launchOf(
  program: string,
  name: string,
): { type: string; request: string; name: string; program: string } {
  return { type: debugType, request: 'launch', name: `Run ${name}`, program };
}

/** The fields that come from the settings when a launch does not have them. */
export function withSettings<T extends object>(
  configuration: T,
  { threads, ttl, traceLevel }: LaunchConfiguration,
  settings: RunSettings,
): T {
  return {
    ...configuration,
    threads: threads ?? settings.threads,
    ttl: ttl ?? settings.ttl,
    pipelineTraceLevel: traceLevel ?? settings.traceLevel,
  };
}

/** An attach that does not say to which task lets the person pick one. */
export function withTaskPicker<T extends Readonly<Record<string, unknown>>>(configuration: T): T {
  const { request, token, projectId, source } = configuration;
  const named = isText(token) || (isText(projectId) && isText(source));
  return request === 'attach' && !named ? { ...configuration, token: '${command:pickTask}' } : configuration;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
