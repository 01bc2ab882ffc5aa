/** Builds and packs the extension into `file`, or below dist/package; resolves with the package's absolute path. */
export declare function packageExtension(options?: { file?: string }): Promise<string>;

/** Packs a folder that holds an extension and nothing else. */
export declare function packFolder(folder: string, file: string): Promise<void>;
