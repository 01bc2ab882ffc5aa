/** Builds and packs everything into a folder, or into dist/package; resolves with the absolute paths, the extension first. */
export declare function packageAll(folder?: string): Promise<string[]>;

/** Builds and packs the extension into `file`, or below dist/package; resolves with the package's absolute path. */
export declare function packageExtension(options?: { file?: string }): Promise<string>;

/** Packs a folder that holds an extension and nothing else. */
export declare function packFolder(folder: string, file: string): Promise<void>;
