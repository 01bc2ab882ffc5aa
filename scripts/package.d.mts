/** Builds and packs the extension into `file`, or below dist/package; resolves with the package's absolute path. */
export declare function packageExtension(options?: { file?: string }): Promise<string>;
