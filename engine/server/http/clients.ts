import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorTable, MillraceError } from '../../../protocol/errors.js';
import type { ClientPackage, HttpDeps, PackageKind, Route, RouteDoc } from './context.js';
import { pathOf } from './errors.js';
import { packInstalled } from './installedExtension.js';

const kinds: Readonly<Record<PackageKind, { title: string; type: string; summary: string }>> = {
  python: { title: 'Python client', type: 'application/zip', summary: 'Python client: a wheel, or `latest`' },
  typescript: { title: 'TypeScript client', type: 'application/gzip', summary: 'TypeScript client: a tarball for npm' },
  vscode: {
    title: 'VS Code extension',
    type: 'application/octet-stream',
    summary: 'VS Code extension: a package to install from a file',
  },
  shell: {
    title: 'dashboard',
    type: 'application/gzip',
    summary: 'Dashboard for pages of your own: a tarball for npm',
  },
  docs: { title: 'agent docs', type: 'application/zip', summary: 'Docs, schemas and stubs for coding agents' },
  'typescript-init': {
    title: 'workspace init',
    type: 'application/gzip',
    summary: 'Package that sets a workspace up: `npx` with this address',
  },
};

/** Nothing but such names is looked up: no escapes, no separators, no dots in a row. */
const plainPath = /^\/client\/([a-z-]+)(?:\/((?!.*\.\.)[A-Za-z0-9_+][A-Za-z0-9._+-]*))?$/;

/** The downloads: public, from the list made at start. No part of an address ever becomes a part of a path. */
export function clientRoutes(deps: HttpDeps): Route[] {
  const handle = (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    download(deps, request, reply).catch((thrown: unknown) => refuse(thrown, request, reply));
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

async function download(
  { packages, logger }: HttpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const [, kindName, fileName] = plainPath.exec(pathOf(request)) ?? [];
  const found = isKind(kindName) ? choose(packages, kindName, fileName) : undefined;
  if (found === undefined) throw missing(packages, isKind(kindName) ? kindName : kindOfPrefix(pathOf(request)));
  const { content, size } = await openPackage(found, logger);
  if (size !== undefined) void reply.header('content-length', size);
  void reply.type(kinds[found.kind].type).header('content-disposition', `attachment; filename="${found.fileName}"`);
  if (request.method === 'HEAD') {
    content.destroy();
    // The framework says a length of 0 where there is no content at all.
    return reply.send(Readable.from([]));
  }
  content.once('error', (err) => logger.error({ err, kind: found.kind }, 'A client package cannot be read'));
  return reply.send(content);
}

/** These routes answer without the envelope of the others: their callers look for a text in `error`. */
function refuse(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!(thrown instanceof MillraceError)) throw thrown;
  const { code, message, hint } = thrown;
  const kind = kindOfPrefix(pathOf(request));
  const error = `${kind === undefined ? 'Client' : kinds[kind].title} package not found`;
  return reply.code(errorTable[code].http).send({ error, message, code, hint });
}

interface Opened {
  readonly content: Readable;
  /** Bytes, where they are known before. It is that of the file which is sent, also when somebody packs anew meanwhile. */
  readonly size?: number;
}

async function openPackage(found: ClientPackage, logger: HttpDeps['logger']): Promise<Opened> {
  const { kind } = found;
  try {
    if ('folder' in found) return { content: Readable.from(await packInstalled(found), { objectMode: false }) };
    const handle = await open(found.file);
    const { size } = await handle.stat();
    return { content: handle.createReadStream(), size };
  } catch (err) {
    logger.error({ err, kind }, 'A client package cannot be read');
    throw new MillraceError('package_missing', `The ${kinds[kind].title} package of this server is gone`, {
      hint:
        'folder' in found
          ? 'The extension is damaged where it is installed: install it again.'
          : 'Build it with `npm run package` and start the server again.',
    });
  }
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

function missing(packages: readonly ClientPackage[], kind: PackageKind | undefined): MillraceError {
  if (kind === undefined) {
    return new MillraceError('package_missing', 'There is no such download', {
      hint: `There are ${Object.keys(kinds)
        .map((name) => `/client/${name}${name === 'python' ? '/latest' : ''}`)
        .join(', ')}.`,
    });
  }
  const offered = packages.filter((entry) => entry.kind === kind);
  if (offered.length > 0) {
    const names = offered.map(({ fileName }) => fileName);
    return new MillraceError('package_missing', `There is no ${kinds[kind].title} package of that name`, {
      hint:
        kind === 'python'
          ? `Ask for /client/python/latest, or by name: ${names.join(', ')}.`
          : `Ask for /client/${kind}, without a name.`,
    });
  }
  return new MillraceError('package_missing', `This server does not have the ${kinds[kind].title} package`);
}

function kindOfPrefix(path: string): PackageKind | undefined {
  const [, , name] = path.split('/');
  return isKind(name) ? name : undefined;
}

function isKind(name: string | undefined): name is PackageKind {
  return name !== undefined && Object.hasOwn(kinds, name);
}
