import { describe, expect, it } from 'vitest';
import type { Principal } from '../tasks/service.js';
import { Authenticator, keyIdOf, requirePermission, taskToken } from './auth.js';

const task: Principal = { kind: 'task', keyId: keyIdOf('secret-1'), token: 'tk_live' };
const open: Principal = { kind: 'public', keyId: keyIdOf('secret-1'), token: 'tk_live' };

function authenticator(keys = ['secret-1', 'secret-2']): Authenticator {
  const credentials = new Map([
    ['tk_live', task],
    ['pk_live', open],
  ]);
  return new Authenticator(keys, (token) => credentials.get(token));
}

function refusal(action: () => unknown): unknown {
  try {
    action();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}

describe('authentication', () => {
  it('accepts every configured key, with or without the Bearer prefix', () => {
    expect(authenticator().authenticate('secret-1')).toEqual({ kind: 'key', keyId: keyIdOf('secret-1') });
    expect(authenticator().authenticate('Bearer secret-2')).toEqual({ kind: 'key', keyId: keyIdOf('secret-2') });
  });

  it.each([undefined, null, '', ' ', 'Bearer ', 'Bearer'])('reports %j as a missing credential', (credential) => {
    expect(refusal(() => authenticator().authenticate(credential))).toMatchObject({ code: 'auth_missing' });
  });

  it.each([
    ['wrong'],
    ['secret-'],
    ['secret-11'],
    ['bearer secret-1'],
    [['secret-1']],
    [{ toString: () => 'secret-1' }],
    [1],
    [true],
    [[]],
  ])('refuses %j', (credential: unknown) => {
    expect(refusal(() => authenticator().authenticate(credential))).toMatchObject({ code: 'auth_invalid' });
  });

  it('lets nobody in when no key is configured', () => {
    expect(refusal(() => authenticator([]).authenticate('anything'))).toMatchObject({ code: 'auth_invalid' });
    expect(refusal(() => authenticator([]).authenticate(''))).toMatchObject({ code: 'auth_missing' });
  });

  it('refuses to be configured with an empty key', () => {
    expect(() => authenticator([''])).toThrow('non-empty');
  });

  it('resolves the credentials of a task and refuses those of tasks that do not exist', () => {
    expect(authenticator().authenticate('Bearer tk_live')).toBe(task);
    expect(authenticator().authenticate('pk_live')).toBe(open);
    expect(refusal(() => authenticator().authenticate('tk_gone'))).toMatchObject({
      message: 'Bad request',
      httpStatus: 400,
    });
  });

  it('names a key without giving away anything of it', () => {
    expect(keyIdOf('secret-1')).toMatch(/^[0-9a-f]{32}$/);
    expect(keyIdOf('secret-1')).not.toBe(keyIdOf('secret-2'));
  });
});

describe('permissions', () => {
  const key: Principal = { kind: 'key', keyId: 'k' };
  const allowed = (
    principal: Principal,
    permission: Parameters<typeof requirePermission>[1],
    token?: string,
  ): boolean => {
    try {
      requirePermission(principal, permission, token);
      return true;
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'permission_denied' });
      return false;
    }
  };

  it('gives an API key everything', () => {
    for (const permission of ['control', 'data', 'monitor', 'store', 'debug'] as const) {
      expect(allowed(key, permission)).toBe(true);
      expect(allowed(key, permission, 'tk_any')).toBe(true);
    }
  });

  it('gives a task credential everything on its task and nothing on another', () => {
    for (const permission of ['control', 'data', 'monitor', 'debug'] as const) {
      expect(allowed(task, permission, 'tk_live')).toBe(true);
      expect(allowed(task, permission, 'tk_other')).toBe(false);
    }
    expect(allowed(task, 'control')).toBe(false);
    expect(allowed(task, 'debug')).toBe(false);
  });

  it('gives a public key nothing but sending data to its task', () => {
    expect(allowed(open, 'data', 'tk_live')).toBe(true);
    expect(allowed(open, 'data', 'tk_other')).toBe(false);
    for (const permission of ['control', 'monitor', 'store', 'debug'] as const) {
      expect(allowed(open, permission, 'tk_live')).toBe(false);
      expect(allowed(open, permission)).toBe(false);
    }
  });

  it('takes the task from a task credential and refuses one that names another', () => {
    expect(taskToken(task, undefined)).toBe('tk_live');
    expect(taskToken(open, 'pk_live')).toBe('tk_live');
    expect(taskToken(key, 'mine')).toBe('mine');
    expect(refusal(() => taskToken(key, undefined))).toMatchObject({ code: 'token_required' });
    expect(refusal(() => taskToken(task, 'tk_other'))).toMatchObject({ code: 'permission_denied' });
  });
});
