/** Something a person should know, and what to do about it. */
export interface EngineNotice {
  readonly reason: string;
  readonly hint: string;
}

/** An engine that takes requests. `key` is a secret: it is neither shown nor logged. */
export interface RunningEngine {
  readonly kind: 'running';
  readonly url: string;
  readonly key: string;
  readonly pid: number;
}

/** How the engine inside the editor is doing. Exactly one of these at any time. */
export type EngineState =
  | { readonly kind: 'stopped' }
  /** `notice` tells why it starts again after a crash, or that the start takes unusually long. */
  | { readonly kind: 'starting'; readonly notice?: EngineNotice | undefined }
  | RunningEngine
  /** It is not started again until somebody asks for it. */
  | ({ readonly kind: 'failed' } & EngineNotice);
