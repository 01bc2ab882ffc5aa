import { describe, expect, it } from 'vitest';
import { ValidationError } from './errors.js';
import { socketAddress } from './address.js';

describe('socketAddress', () => {
  const check = (given: string, expected: string) =>
    it(`turns ${given} into ${expected}`, () => expect(socketAddress(given)).toBe(expected));

  check('http://localhost:9000', 'ws://localhost:9000/task/service');
  check('https://example.org', 'wss://example.org:5565/task/service');
  check('ws://example.org:81/other?x=1', 'ws://example.org:81/task/service');
  check('wss://user:pass@example.org:443/', 'wss://example.org:443/task/service');
  check('http://example.org:80', 'ws://example.org:80/task/service');
  check('example.org', 'ws://example.org:5565/task/service');
  check('localhost:7777', 'ws://localhost:7777/task/service');
  check('[::1]', 'ws://[::1]:5565/task/service');
  check('http://[::1]:80', 'ws://[::1]:80/task/service');
  check('  127.0.0.1  ', 'ws://127.0.0.1:5565/task/service');

  it.each(['', 'ftp://example.org', 'http://', 'http://a b', 'host:99999'])('refuses %j', (given) => {
    expect(() => socketAddress(given)).toThrow(ValidationError);
  });
});
