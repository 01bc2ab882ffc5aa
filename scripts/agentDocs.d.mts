/** The bytes of docs.zip for a version of the product. */
export declare function agentDocs(version: string): Promise<Uint8Array>;
