/** Makes the packages that a server offers under /client, except the extension, in a folder; resolves with their names. */
export declare function packClients(folder: string): Promise<string[]>;
