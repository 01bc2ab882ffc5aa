import { BaseClient, type ClientOptions } from './client.js';
import { browserTransport } from './transportBrowser.js';

export * from './api.js';

/** The client for browsers: sockets of the browser, no files, no environment variables. */
export class MillraceClient extends BaseClient {
  constructor(options: ClientOptions = {}) {
    super(options, { createTransport: browserTransport, defaults: () => ({}) });
  }
}
