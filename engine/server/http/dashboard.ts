import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MillraceError } from '../../../protocol/errors.js';
import type { DashboardFile, DashboardFiles, HttpDeps, Route } from './context.js';
import { success } from './envelope.js';
import { pathOf } from './errors.js';

const mimeTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Nothing from elsewhere, nothing inline, no frames; the socket and the assets are of the page's own origin. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Millrace</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/dashboard/main.css">
    <script type="module" src="/dashboard/main.js"></script>
  </head>
  <body><div id="root"></div></body>
</html>
`;

/** Lists the files of the built view in the first of these folders that has it, once; what comes later is not served. */
export function findDashboard(folders: readonly string[]): DashboardFiles {
  const folder = folders.find((each) => existsSync(path.join(each, 'main.js')));
  if (folder === undefined) return new Map();
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.flatMap(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      const type = mimeTypes[path.extname(name)];
      const relative = path.relative(folder, file).split(path.sep).join('/');
      if (type === undefined) return [];
      return [[`/dashboard/${relative}`, { file, type, immutable: relative.startsWith('chunks/') }] as const];
    }),
  );
}

/** The live view for browsers. The page and its scripts hold no data and need no key; what they show needs one. */
export function dashboardRoutes({ dashboard = new Map(), version, logger }: HttpDeps): Route[] {
  const route = { method: 'GET', access: 'public', body: 'none' } as const;
  return [
    {
      ...route,
      path: '/',
      doc: {
        tag: 'Server',
        summary: 'Says what is served here; to a browser, the dashboard',
        data: { type: 'object' },
      },
      handle: (request, reply) => {
        void reply.header('vary', 'accept');
        if (!wantsPage(request)) {
          return success({ name: 'millrace', version: version.version, documentation: '/docs', api: '/openapi.json' });
        }
        if (dashboard.size === 0) {
          throw new MillraceError('not_found', 'This server has no dashboard', {
            hint: 'Build it with `npm run build` and start the server again, or use the live view of the editor.',
          });
        }
        return reply
          .type('text/html; charset=utf-8')
          .header('content-security-policy', policy)
          .header('cache-control', 'no-cache')
          .send(html);
      },
    },
    {
      ...route,
      path: '/dashboard/*',
      handle: async (request, reply) => {
        const found = dashboard.get(pathOf(request));
        if (found === undefined) throw new MillraceError('not_found');
        return send(found, reply, logger);
      },
    },
  ];
}

/** Programs take anything and get JSON. */
function wantsPage({ headers: { accept = '' } }: FastifyRequest): boolean {
  return accept.toLowerCase().includes('text/html');
}

async function send(
  { file, type, immutable }: DashboardFile,
  reply: FastifyReply,
  logger: HttpDeps['logger'],
): Promise<FastifyReply> {
  let content: Buffer;
  try {
    content = await readFile(file);
  } catch (err) {
    logger.error({ err }, 'A file of the dashboard cannot be read');
    throw new MillraceError('not_found', 'This file of the dashboard is gone', {
      hint: 'Start the server again.',
    });
  }
  return reply
    .type(type)
    .header('content-security-policy', policy)
    .header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
    .send(content);
}
