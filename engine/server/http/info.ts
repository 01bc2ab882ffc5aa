import type { HttpDeps, Route } from './context.js';
import { success } from './envelope.js';

export function infoRoutes(deps: HttpDeps): Route[] {
  const { version, clock } = deps;
  const startTime = clock();
  const route = { method: 'GET', body: 'none' } as const;
  const versionSchema = {
    type: 'object',
    properties: { version: { type: 'string' }, hash: { type: 'string' }, stamp: { type: 'string' } },
  };
  return [
    {
      ...route,
      path: '/ping',
      access: 'public',
      doc: { tag: 'Server', summary: 'Answers when the server is up' },
      handle: () => success(),
    },
    {
      ...route,
      path: '/version',
      access: 'public',
      doc: { tag: 'Server', summary: 'Version of the server', data: versionSchema },
      handle: () => success(version),
    },
    {
      ...route,
      path: '/status',
      access: 'key',
      doc: {
        tag: 'Server',
        summary: 'Version, start (Unix seconds) and uptime (seconds) of the server',
        data: {
          type: 'object',
          properties: {
            server: {
              type: 'object',
              properties: { version: versionSchema, startTime: { type: 'number' }, uptime: { type: 'integer' } },
            },
          },
        },
      },
      handle: () => {
        const uptime = Math.floor((clock() - startTime) / 1000);
        return success({ server: { version, startTime: startTime / 1000, uptime } });
      },
    },
  ];
}
