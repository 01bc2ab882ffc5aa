import { createHash } from 'node:crypto';
import type { OpenApiDocument, Operation } from './openApiDocument.js';

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{margin-top:2.5rem;border-bottom:1px solid #8886}
h3{font-size:1rem;margin:1.5rem 0 .25rem}
code,pre{font-family:ui-monospace,monospace;font-size:.875rem}
pre{overflow:auto;padding:.75rem;background:#8881;border-radius:4px}
.method{display:inline-block;min-width:4.5rem;font-weight:600}
table{border-collapse:collapse}td{padding:.125rem 1rem .125rem 0;vertical-align:top}
`;

/** A page without scripts or anything from elsewhere; its policy allows just its own style. */
export function renderDocs(document: OpenApiDocument): { html: string; policy: string } {
  const hash = createHash('sha256').update(style).digest('base64');
  const { title, version, description } = document.info;
  return {
    html:
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(title)} HTTP API</title>` +
      `<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>` +
      `<h1>${escape(title)} HTTP API <small>${escape(version)}</small></h1><p>${escape(description)}</p>` +
      `<p>The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p>${sections(document)}</body></html>`,
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function sections(document: OpenApiDocument): string {
  const byTag = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const [tag = ''] = operation.tags;
      const list = byTag.get(tag) ?? [];
      list.push(entry(method, path, operation));
      byTag.set(tag, list);
    }
  }
  return [...byTag].map(([tag, entries]) => `<h2>${escape(tag)}</h2>${entries.join('')}`).join('');
}

function entry(method: string, path: string, operation: Operation): string {
  const notes = [
    operation.security.length === 0 ? 'public' : 'needs a key',
    ...(operation.deprecated === true ? ['deprecated'] : []),
  ];
  const rows = operation.parameters
    .map(({ name, description }) => `<tr><td><code>${escape(name)}</code></td><td>${escape(description)}</td></tr>`)
    .join('');
  const bodies = Object.entries(operation.requestBody?.content ?? {})
    .map(([type, { schema }]) => schemaBlock(`Body: ${type}`, schema))
    .join('');
  const answers = Object.entries(operation.responses['200']?.content ?? {})
    .map(([type, { schema }]) => schemaBlock(`Answer: ${type}`, schema))
    .join('');
  return (
    `<h3><code><span class="method">${method.toUpperCase()}</span> ${escape(path)}</code></h3>` +
    `<p>${escape(operation.summary)} (${notes.join(', ')})</p>${rows === '' ? '' : `<table>${rows}</table>`}` +
    `${bodies}${answers}`
  );
}

function schemaBlock(title: string, schema: object): string {
  const text = Object.keys(schema).length === 0 ? '' : `<pre>${escape(JSON.stringify(schema, null, 2))}</pre>`;
  return `<details><summary>${escape(title)}</summary>${text}</details>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
