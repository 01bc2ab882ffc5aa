export interface Installation {
  /** The version of VS Code, as `1.139`. */
  version: string;
  /** Absolute paths: the Node that runs the server, the server's entry, the browser. */
  node: string;
  entry: string;
  chromium: string;
}

export declare const newest: string;

/** This machine cannot have the editor; the message says why. */
export declare class EditorUnavailable extends Error {}

/** Installs the editor on first use. */
export declare function installEditor(version?: string): Promise<Installation>;
