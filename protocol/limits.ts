/** Numbers both sides of the wire agree on. Bytes, seconds and counts as named. */
export const limits = {
  /** Largest WebSocket message the server accepts (the peer's value, 250 MiB). */
  messageBytes: 250 * 1024 * 1024,
  /** Largest JSON part of a message on the socket. */
  headerBytes: 8 * 1024 * 1024,
  /** Deepest nesting accepted in a pipeline or another JSON argument. */
  jsonDepth: 64,
  recentMessages: 50,
  slowestDocs: 10,
  docNameChars: 200,
  traceTextChars: 2000,
  maxThreads: 64,
  defaultThreads: 64,
  defaultTtlSeconds: 900,
  authAttempts: 5,
  pipeIdleSeconds: 60,
  finishedTaskSeconds: 300,
  storeReadBytes: 4 * 1024 * 1024,
  storeHandles: 64,
} as const;

export const defaultPort = 5565;
export const socketPath = '/task/service';
export const questionMimeType = 'application/rocketride-question';
export const defaultMimeType = 'application/octet-stream';
