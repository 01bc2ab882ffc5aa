import { hash, timingSafeEqual } from 'node:crypto';
import { MillraceError } from '../../protocol/errors.js';
import type { Principal } from '../tasks/service.js';

export type Permission = 'control' | 'data' | 'monitor' | 'store' | 'debug';

interface KnownKey {
  digest: Buffer;
  principal: Principal;
}

/**
 * Tells who asks from the credential sent. Without a key nobody is let in: there is no unauthenticated mode.
 *
 * @example
 * const authenticator = new Authenticator([key], (token) => tasks.credential(token));
 * const principal = authenticator.authenticate(request.headers.authorization);
 */
export class Authenticator {
  readonly #keys: readonly KnownKey[];
  readonly #credential: (token: string) => Principal | undefined;

  /**
   * @param keys the API keys of this server
   * @param credential resolves `tk_…` and `pk_…` credentials; undefined when no such task exists
   */
  constructor(keys: readonly string[], credential: (token: string) => Principal | undefined) {
    this.#keys = keys.map((key) => {
      if (typeof key !== 'string' || key === '') {
        throw new MillraceError('invalid_argument', 'An API key must be a non-empty string');
      }
      return { digest: sha256(key), principal: { kind: 'key', keyId: keyIdOf(key) } };
    });
    this.#credential = credential;
  }

  /**
   * @param credential whatever came in the place of a credential; a leading `Bearer ` is removed
   * @throws MillraceError `auth_missing`, `auth_invalid`, or `task_unknown` for the token of a task that does not exist
   */
  authenticate(credential: unknown): Principal {
    if (credential === undefined || credential === null) throw new MillraceError('auth_missing');
    // An array or an object must never reach a comparison, where it could turn into a string.
    if (typeof credential !== 'string') throw new MillraceError('auth_invalid');
    const text = (credential.startsWith('Bearer ') ? credential.slice('Bearer '.length) : credential).trim();
    if (text === '' || text === 'Bearer') throw new MillraceError('auth_missing');

    const digest = sha256(text);
    let found: Principal | undefined;
    // Every key is compared, so that the time tells nothing about which of them came close.
    for (const key of this.#keys) if (timingSafeEqual(key.digest, digest)) found = key.principal;
    if (found !== undefined) return found;

    if (!text.startsWith('tk_') && !text.startsWith('pk_')) throw new MillraceError('auth_invalid');
    const principal = this.#credential(text);
    if (principal === undefined) throw new MillraceError('task_unknown', 'Bad request');
    return principal;
  }
}

/** The stable name of a key: safe to store and to log, useless for logging in. */
export function keyIdOf(key: string): string {
  return sha256(`millrace key id\0${key}`).toString('hex').slice(0, 32);
}

/**
 * The task a request is about. A task's own credential already says which, so the argument may be missing; if it is
 * there it must agree (pages that log in with a public key pass that key in the place of the token).
 *
 * @throws MillraceError `token_required` or `permission_denied`
 */
export function taskToken(principal: Principal, given: string | undefined): string {
  if (principal.kind === 'key') {
    if (given === undefined || given === '') throw new MillraceError('token_required');
    return given;
  }
  const silent = given === undefined || given === '' || given === '*';
  if (silent || given === principal.token || (principal.kind === 'public' && given.startsWith('pk_'))) {
    return principal.token;
  }
  throw new MillraceError('permission_denied', 'Access denied: no permissions for this task');
}

/**
 * An API key may do everything, a task's token everything on its task, its public key only send data to it.
 * Pass `token` when the operation concerns one task.
 *
 * @throws MillraceError `permission_denied`
 */
export function requirePermission(principal: Principal, permission: Permission, token?: string): void {
  if (principal.kind === 'key') return;
  if (principal.kind === 'public' && permission !== 'data') {
    throw new MillraceError('permission_denied', `Permission 'task.${permission}' denied`);
  }
  if (token === undefined) {
    // Without a task these would start one or reach for any.
    if (permission === 'monitor' || permission === 'store') return;
    throw new MillraceError('permission_denied', `Permission 'task.${permission}' denied`);
  }
  if (token !== principal.token) {
    throw new MillraceError('permission_denied', `Permission 'task.${permission}' denied for this task`);
  }
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
