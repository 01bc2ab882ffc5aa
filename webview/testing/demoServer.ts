import { build } from 'esbuild';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

/** As strict as the one of the editor's panel. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'";
const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Live view</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/demo.css"></head>
<body><div id="root"></div><script type="module" src="/demo.js"></script></body></html>`;

/** Bundles the development page and serves it on a free port of this machine. */
export async function serveDemo(root: string): Promise<{ url: string; close(): Promise<void> }> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { demo: 'webview/testing/demo.tsx' },
    bundle: true,
    write: false,
    outdir: 'demo',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  const files = new Map(outputFiles.map((file) => [`/${path.basename(file.path)}`, file.contents]));
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname;
    const type = name.endsWith('.js') ? 'text/javascript' : name.endsWith('.css') ? 'text/css' : 'text/html';
    response.setHeader('content-type', `${type}; charset=utf-8`);
    response.setHeader('content-security-policy', policy);
    response.end(files.get(name) ?? page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
