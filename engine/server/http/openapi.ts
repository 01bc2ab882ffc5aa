import type { Route } from './context.js';
import { renderDocs } from './docsPage.js';
import { makeDocument } from './openApiDocument.js';

/** `/openapi.json` and a page to read it at `/docs`, both made when first asked for. */
export function openApiRoutes(routes: readonly Route[], version: string): Route[] {
  let document: string | undefined;
  let page: { html: string; policy: string } | undefined;
  const own: Route[] = [
    {
      method: 'GET',
      path: '/openapi.json',
      access: 'public',
      body: 'none',
      doc: { tag: 'Server', summary: 'This description as OpenAPI 3.1', produces: 'application/json' },
      handle: (_request, reply) => {
        document ??= JSON.stringify(makeDocument(all, version));
        return reply.type('application/json; charset=utf-8').send(document);
      },
    },
    {
      method: 'GET',
      path: '/docs',
      access: 'public',
      body: 'none',
      doc: { tag: 'Server', summary: 'This description as a page', produces: 'text/html' },
      handle: (_request, reply) => {
        page ??= renderDocs(makeDocument(all, version));
        return reply.type('text/html; charset=utf-8').header('content-security-policy', page.policy).send(page.html);
      },
    },
  ];
  const all = [...routes, ...own];
  return own;
}
