import type { MillraceError } from '../../protocol/errors.js';

/** What an attempt to connect that failed means: `waiting` when it may go better later. */
export interface ConnectVerdict {
  readonly kind: 'waiting' | 'failed';
  readonly reason: string;
  readonly hint: string;
}

const checkAddress = 'Check the address and the port of the connection.';
const checkServer = 'Check the address, and that the server is running. It is tried again by itself.';

/** How `ws` and Node say that the other side speaks something else. */
const noWebSocket = /Parse Error|Invalid Upgrade|Sec-WebSocket|Invalid WebSocket|EPROTO|wrong version number/i;
const badCertificate = /certificate|self.signed|altnames/i;

/** Reads the error of a connection attempt; the texts are those of Node and of the socket library. */
export function judgeConnectError({ code, message, hint }: MillraceError, address: string): ConnectVerdict {
  const status = Number(/Unexpected server response: (\d+)/.exec(message)?.[1]);
  if (!Number.isNaN(status)) return judgeStatus(status, address);
  if (noWebSocket.test(message)) {
    return { kind: 'failed', reason: `${address} answers, but it is no Millrace server`, hint: checkAddress };
  }
  if (badCertificate.test(message)) {
    const reason = `The certificate of ${address} is not accepted: ${afterAddress(message)}`;
    return { kind: 'failed', reason, hint: 'Check the address, or make its certificate known to the editor.' };
  }
  if (message.includes('ECONNREFUSED')) {
    return { kind: 'waiting', reason: `Nothing answers at ${address}`, hint: checkServer };
  }
  if (message.includes('ENOTFOUND')) {
    return { kind: 'waiting', reason: `The host of ${address} is not known`, hint: checkServer };
  }
  if (code === 'connection_lost') {
    const reason = `${address} ended the connection before the login was done`;
    return { kind: 'waiting', reason, hint: 'Check that it is a Millrace server. It is tried again by itself.' };
  }
  if (code === 'connection_failed' || code === 'timeout') {
    const reason = / within \d+ ms/.test(message) ? 'it does not answer' : afterAddress(message);
    return { kind: 'waiting', reason: `No connection to ${address}: ${reason}`, hint: checkServer };
  }
  return { kind: 'failed', reason: message, hint };
}

function judgeStatus(status: number, address: string): ConnectVerdict {
  if (status === 421) {
    const reason = `${address} runs, but not for this host name`;
    return { kind: 'failed', reason, hint: 'Start the server with --allow-host and this name.' };
  }
  if (status >= 500 || status === 429) {
    return { kind: 'waiting', reason: `${address} is not ready (HTTP ${status})`, hint: checkServer };
  }
  const reason = `${address} answers, but it is no Millrace server (HTTP ${status})`;
  return { kind: 'failed', reason, hint: checkAddress };
}

function afterAddress(message: string): string {
  return message.replace(/^Could not connect to \S+: /, '');
}
