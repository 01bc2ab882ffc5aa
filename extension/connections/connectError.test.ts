import { describe, expect, it } from 'vitest';
import { MillraceError } from '../../protocol/errors.js';
import { judgeConnectError } from './connectError.js';

const address = 'http://lab:5565';
const failed = (text: string) =>
  new MillraceError('connection_failed', `Could not connect to ws://lab:5565/task/service: ${text}`);

describe('judgeConnectError', () => {
  it.each([
    ['connect ECONNREFUSED 127.0.0.1:5565', 'waiting', 'Nothing answers at http://lab:5565'],
    ['getaddrinfo ENOTFOUND lab', 'waiting', 'The host of http://lab:5565 is not known'],
    ['Unexpected server response: 503', 'waiting', 'http://lab:5565 is not ready (HTTP 503)'],
    ['Unexpected server response: 404', 'failed', 'http://lab:5565 answers, but it is no Millrace server (HTTP 404)'],
    ['Unexpected server response: 421', 'failed', 'http://lab:5565 runs, but not for this host name'],
    ['Parse Error: Expected HTTP/', 'failed', 'http://lab:5565 answers, but it is no Millrace server'],
    [
      'self-signed certificate',
      'failed',
      'The certificate of http://lab:5565 is not accepted: self-signed certificate',
    ],
    ['socket hang up', 'waiting', 'No connection to http://lab:5565: socket hang up'],
  ])('takes "%s" as %s', (text, kind, reason) => {
    const verdict = judgeConnectError(failed(text), address);
    expect(verdict).toMatchObject({ kind, reason });
    expect(verdict.hint).not.toBe('');
  });

  it('waits for a server that does not answer in time', () => {
    const error = new MillraceError('connection_failed', 'Could not connect to ws://lab within 10000 ms');
    expect(judgeConnectError(error, address)).toMatchObject({
      kind: 'waiting',
      reason: 'No connection to http://lab:5565: it does not answer',
    });
  });

  it('passes on what the server says against a login', () => {
    const error = new MillraceError('invalid_message', 'Not like this', { hint: 'Like that.' });
    expect(judgeConnectError(error, address)).toEqual({ kind: 'failed', reason: 'Not like this', hint: 'Like that.' });
  });
});
