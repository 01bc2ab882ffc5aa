import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, MillraceError } from '../../../protocol/errors.js';
import type { Logger } from './context.js';
import { failure, publicError } from './envelope.js';

/** The failures of the web framework, told in the words of the error table. */
const frameworkCodes: Readonly<Record<string, { code: ErrorCode; message?: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'media_type_refused' },
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'too_large', message: 'The request body is too large' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'invalid_message', message: 'The request body is empty' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'invalid_message', message: 'The request body is not valid JSON' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'invalid_message', message: 'The body is not as long as announced' },
  FST_ERR_BAD_URL: { code: 'invalid_message', message: 'The path is not a valid URL path' },
  FST_ERR_MAX_PARAM_LENGTH: { code: 'not_found' },
};

/** Whatever went wrong in a request, as an error the caller may see. */
export function toHttpError(thrown: Error): MillraceError {
  if (thrown instanceof MillraceError) return publicError(thrown);
  const { code, statusCode } = thrown as Partial<FastifyError>;
  const known = code === undefined ? undefined : frameworkCodes[code];
  if (known !== undefined) return new MillraceError(known.code, known.message, { cause: thrown });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new MillraceError('invalid_message', thrown.message, { cause: thrown });
  }
  return publicError(thrown);
}

/** Answers with the envelope; the path is logged, never the query, for it may hold a key or a token. */
export function errorHandler(logger: Logger): (thrown: Error, request: FastifyRequest, reply: FastifyReply) => void {
  return (thrown, request, reply) => {
    const error = toHttpError(thrown);
    const facts = { method: request.method, path: pathOf(request), code: error.code };
    if (error.code === 'internal') logger.error({ ...facts, err: error.cause }, 'Request failed');
    else logger.debug(facts, 'Request refused');
    if (isGateError(error, request)) sendGateError(error, request, reply);
    else void reply.code(error.httpStatus).send(failure(error));
  };
}

export function pathOf(request: FastifyRequest): string {
  const query = request.url.indexOf('?');
  return query < 0 ? request.url : request.url.slice(0, query);
}

/** Nobody looks for a task before the caller is known, so a task unknown by then was the credential itself. */
function isGateError(error: MillraceError, request: FastifyRequest): boolean {
  return error.httpStatus === 401 || (error.code === 'task_unknown' && request.principal === undefined);
}

/** A wrong credential is answered in the form the caller reads: a page, plain text, or the envelope. */
function sendGateError(error: MillraceError, request: FastifyRequest, reply: FastifyReply): void {
  const denied = error.httpStatus === 401;
  const short = denied ? 'Access denied' : error.message;
  if (denied) void reply.header('www-authenticate', 'Bearer');
  void reply.code(error.httpStatus);
  const accept = request.headers.accept;
  const wanted = (accept === undefined || accept === '*/*' ? request.headers['content-type'] : accept) ?? '';
  if (wanted.startsWith('text/html')) {
    void reply
      .header('content-security-policy', "default-src 'none'")
      .type('text/html; charset=utf-8')
      .send(`<!doctype html><html lang="en"><title>${short}</title><h1>${short}</h1><p>An API key is needed here.</p>`);
  } else if (wanted.startsWith('text/plain')) {
    void reply.type('text/plain; charset=utf-8').send(short);
  } else {
    void reply.send(failure(error, short));
  }
}

/** Answers a request that could not even be parsed, then closes: where the next one begins is unknown. */
export function refuseMalformed(problem: NodeJS.ErrnoException, socket: Socket): void {
  if (problem.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, error] =
    problem.code === 'HPE_HEADER_OVERFLOW'
      ? [431, new MillraceError('too_large', 'The request headers are too large')]
      : problem.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, new MillraceError('timeout', 'The request did not arrive in time')]
        : [400, new MillraceError('invalid_message', 'The request is not valid HTTP')];
  const body = JSON.stringify(failure(error));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n${body}`,
  );
}
