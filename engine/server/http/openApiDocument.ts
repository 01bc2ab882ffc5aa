import type { JsonSchema } from '../../../pipeline/catalogue.js';
import type { Route, RouteDoc } from './context.js';

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> };
}

export interface Operation {
  summary: string;
  tags: string[];
  deprecated?: true;
  security: Record<string, string[]>[];
  parameters: Parameter[];
  requestBody?: { required: true; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>;
}

export interface Parameter {
  name: string;
  in: 'query' | 'path';
  required: boolean;
  description: string;
  schema: JsonSchema;
}

/** OpenAPI 3.1 of the routes that have a `doc`. */
export function makeDocument(routes: readonly Route[], version: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    if (route.doc === undefined) continue;
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[route.method.toLowerCase()] = operation(route, route.doc);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Millrace',
      version,
      description: 'Runs data pipelines. The same operations exist on the WebSocket at /task/service.',
    },
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        header: { type: 'http', scheme: 'bearer', description: 'API key, or a `tk_` or `pk_` credential of one task.' },
        query: { type: 'apiKey', in: 'query', name: 'auth' },
      },
    },
  };
}

function operation(route: Route, doc: RouteDoc): Operation {
  const denied = route.access === 'public' ? {} : { 401: answer('No or a wrong credential', errorRef) };
  return {
    summary: doc.summary,
    tags: [doc.tag],
    ...(doc.deprecated === true ? { deprecated: true } : {}),
    security: route.access === 'public' ? [] : [{ header: [] }, { query: [] }],
    parameters: parameters(route, doc),
    ...(doc.body === undefined ? {} : { requestBody: { required: true, content: content(doc.body) } }),
    responses: {
      200: { description: 'Done', content: content(successBody(doc)) },
      ...denied,
      default: answer('It failed', errorRef),
    },
  };
}

function parameters(route: Route, doc: RouteDoc): Parameter[] {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']): Parameter => ({
    name,
    in: 'path',
    required: true,
    description: '',
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(doc.query ?? {}).map(
    ([name, { description, required = false, ...schema }]): Parameter => ({
      name,
      in: 'query',
      required,
      description,
      schema,
    }),
  );
  return [...inPath, ...inQuery];
}

function successBody(doc: RouteDoc): Record<string, JsonSchema> {
  if (doc.produces !== undefined) return { [doc.produces]: {} };
  const properties = { status: { const: 'OK' }, ...(doc.data === undefined ? {} : { data: doc.data }) };
  return { 'application/json': { type: 'object', properties, required: Object.keys(properties) } };
}

function answer(description: string, schema: JsonSchema): Operation['responses'][string] {
  return { description, content: content({ 'application/json': schema }) };
}

function content(schemas: Readonly<Record<string, JsonSchema>>): Record<string, { schema: JsonSchema }> {
  return Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));
}

const errorRef: JsonSchema = { $ref: '#/components/schemas/Error' };

const errorSchema: JsonSchema = {
  type: 'object',
  properties: {
    status: { const: 'Error' },
    error: {
      type: 'object',
      properties: {
        message: { type: 'string' },
        error: { type: 'string' },
        code: { type: 'string', description: 'Stable: decide on this, never on the message.' },
        hint: { type: 'string', description: 'What to do.' },
      },
      required: ['message', 'error'],
    },
  },
  required: ['status', 'error'],
};
