import type { Installation } from './install.mjs';

/** Installs packages into a new extensions folder, which any number of servers may use. */
export declare function installExtensions(
  installation: Installation,
  extensions: string,
  packages: string[],
): Promise<void>;

/** A running editor server. Everything that it writes lies below `folder`, which `stop` removes. */
export declare class EditorServer {
  private constructor();
  readonly pid: number;
  readonly folder: string;
  readonly url: string;
  readonly settingsFile: string;
  static start(
    installation: Installation,
    options: {
      /** Filled by installExtensions; absent where the editor has none. */
      extensions?: string;
      /** Settings of the user. */
      settings?: Record<string, unknown>;
      /** The editor asks whether a folder is trusted, as it does for people. */
      trust?: boolean;
      env?: Record<string, string>;
    },
  ): Promise<EditorServer>;
  /** The address of a window on a folder or a `.code-workspace` file; without one, a window with neither. */
  address(of?: { folder?: string; workspace?: string }): string;
  /** What the editor and its extensions have logged, the last part of each file. */
  logs(): Promise<string>;
  stop(): Promise<void>;
}
