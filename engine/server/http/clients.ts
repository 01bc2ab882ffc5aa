import { createReadStream } from 'node:fs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientPackage, HttpDeps, PackageKind, Route, RouteDoc } from './context.js';
import { pathOf } from './errors.js';

const kinds: Readonly<Record<PackageKind, { title: string; type: string; summary: string }>> = {
  python: { title: 'Python client', type: 'application/zip', summary: 'Python client: a wheel, or `latest`' },
  typescript: { title: 'TypeScript client', type: 'application/gzip', summary: 'TypeScript client: a tarball' },
  vscode: { title: 'VSCode extension', type: 'application/octet-stream', summary: 'VS Code extension' },
  shell: { title: 'Shell platform', type: 'application/gzip', summary: 'Shell platform package' },
  docs: { title: 'Agent docs', type: 'application/zip', summary: 'Docs and stubs for coding agents' },
  'typescript-init': {
    title: 'Workspace init',
    type: 'application/gzip',
    summary: 'Package that runs the init command',
  },
};

/** Nothing but such names is looked up: no escapes, no separators, no dots in a row. */
const plainPath = /^\/client\/([a-z-]+)(?:\/((?!.*\.\.)[A-Za-z0-9_+][A-Za-z0-9._+-]*))?$/;

export function clientRoutes(deps: HttpDeps): Route[] {
  const handle = (request: FastifyRequest, reply: FastifyReply): FastifyReply => download(deps, request, reply);
  const route = { method: 'GET', access: 'public', body: 'none', handle } as const;
  const doc = (kind: PackageKind): RouteDoc => ({
    tag: 'Downloads',
    summary: kinds[kind].summary,
    produces: kinds[kind].type,
  });
  const single = (Object.keys(kinds) as PackageKind[]).filter((kind) => kind !== 'python');
  return [
    { ...route, path: '/client/python/:filename', doc: doc('python') },
    ...single.map((kind) => ({ ...route, path: `/client/${kind}`, doc: doc(kind) })),
    { ...route, path: '/client/*' },
  ];
}

function download({ packages, logger }: HttpDeps, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.header('cache-control', 'no-cache');
  const [, kindName, fileName] = plainPath.exec(pathOf(request)) ?? [];
  const kind = isKind(kindName) ? kindName : kindOfPrefix(pathOf(request));
  const found = kindName === kind && kind !== undefined ? choose(packages, kind, fileName) : undefined;
  if (found === undefined) {
    const title = kind === undefined ? 'Client' : kinds[kind].title;
    return reply.code(404).send({
      error: `${title} package not found`,
      message: 'This server does not have that file. See /openapi.json for the downloads.',
    });
  }
  const content = createReadStream(found.file);
  content.once('error', (err) => logger.error({ err, kind: found.kind }, 'A client package cannot be read'));
  return reply
    .type(kinds[found.kind].type)
    .header('content-length', found.size)
    .header('content-disposition', `attachment; filename="${found.fileName}"`)
    .send(content);
}

function choose(
  packages: readonly ClientPackage[],
  kind: PackageKind,
  fileName: string | undefined,
): ClientPackage | undefined {
  const offered = packages.filter((entry) => entry.kind === kind);
  if (kind !== 'python') return fileName === undefined ? offered[0] : undefined;
  if (fileName === undefined) return undefined;
  return fileName.toLowerCase().includes('latest') ? offered[0] : offered.find((entry) => entry.fileName === fileName);
}

function kindOfPrefix(path: string): PackageKind | undefined {
  const [, , name] = path.split('/');
  return isKind(name) ? name : undefined;
}

function isKind(name: string | undefined): name is PackageKind {
  return name !== undefined && Object.hasOwn(kinds, name);
}
