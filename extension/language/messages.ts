/** What the extension and its language server say to each other beside the protocol of editors. */

/** The `services` of the connected server, or null for the bundled catalogue. From the extension; params: `ServicesParams`. */
export const servicesNotification = 'millrace/services';

export interface ServicesParams {
  readonly services: unknown;
}

/** The pipeline of an open file as it would run, as text. Params: `ResolvedPipelineParams`; the answer is a string or null. */
export const resolvedPipelineRequest = 'millrace/resolvedPipeline';

export interface ResolvedPipelineParams {
  readonly uri: string;
}
