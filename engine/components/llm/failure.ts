import { errorText } from '../../../protocol/errors.js';
import type { Endpoint } from './providers.js';
import { retryAfter, type Verdict } from './retry.js';

/** A failed request in words for people, and whether trying again can help. */
export interface Failure extends Verdict {
  message: string;
}

const retriedStatus = new Set([408, 409, 429]);
const lostCodes = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
/** The rest of a message tells nothing new, and some servers answer with pages. */
const longestDetail = 400;

/**
 * Explains what the SDK threw. The errors of the SDK carry the request and the body of the reply, so nothing of them
 * but status, code and text is used, and the key is cut out of the text.
 */
export function explainFailure(thrown: unknown, endpoint: Endpoint, now: number): Failure {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as SdkError;
  const text = detail(thrown, endpoint);
  const place = `${endpoint.name} at ${endpoint.baseUrl}`;
  const status = error.statusCode;

  // A connection that breaks while the reply is read keeps the status of the reply.
  if (status === undefined || status < 300) {
    const code = networkCode(thrown);
    if (code === undefined) return { message: `Asking ${place} failed: ${text}`, retry: false };
    if (isCertificateProblem(code)) {
      return { message: `Cannot trust ${place}: its certificate is not valid (${code}).`, retry: false };
    }
    if (status !== undefined || lostCodes.has(code))
      return { message: `Lost the connection to ${place} (${code}).`, retry: true };
    return { message: `Cannot reach ${place} (${code}). ${endpoint.advice.unreachable}`, retry: true };
  }
  if (status === 401 || status === 403) {
    return { message: `Access to ${place} was refused (${status}: ${text}). ${endpoint.advice.refused}`, retry: false };
  }
  if (status === 404) {
    const message = `Model '${endpoint.model}' was not found by ${place} (${text}). ${endpoint.advice.missing}`;
    return { message, retry: false };
  }
  if (status >= 300 && status < 400) {
    const target = error.responseHeaders?.location;
    const where = target === undefined ? '' : ` to ${endpoint.redact(target.split('?', 1).join())}`;
    return { message: `A redirect from ${place}${where} is not followed. ${endpoint.advice.moved}`, retry: false };
  }
  return {
    message: `Status ${status} from ${place}: ${text}`,
    retry: retriedStatus.has(status) || status >= 500,
    retryAfter: retryAfter(error.responseHeaders, now),
  };
}

/** The members this module reads from the errors of the `ai` package. */
interface SdkError {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
}

/** An error that a server reports inside its stream arrives as the object it sent. */
function wording(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || thrown instanceof Error) return errorText(thrown);
  return 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : JSON.stringify(thrown);
}

function detail(thrown: unknown, endpoint: Endpoint): string {
  const text = endpoint.redact(wording(thrown)).replace(/\s+/g, ' ').trim();
  return text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text;
}

/** `ECONNREFUSED`, `UND_ERR_SOCKET`, `CERT_HAS_EXPIRED`; but not the `ERR_…` by which Node reports wrong arguments. */
const systemCode = /^(?!ERR_(?!TLS))[A-Z][A-Z0-9_]+$/;

/** The code of the system error below a failed request. A connection that broke without one counts as `ECONNRESET`. */
function networkCode(thrown: unknown, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 6) return undefined;
  if ('code' in thrown && typeof thrown.code === 'string' && systemCode.test(thrown.code)) return thrown.code;
  const below = [thrown.cause, ...(thrown instanceof AggregateError ? (thrown.errors as unknown[]) : [])];
  for (const error of below) {
    const code = networkCode(error, depth + 1);
    if (code !== undefined) return code;
  }
  return thrown instanceof TypeError && thrown.message === 'terminated' ? 'ECONNRESET' : undefined;
}

function isCertificateProblem(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS/.test(code);
}
