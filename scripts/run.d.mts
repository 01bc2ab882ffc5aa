/** The command that starts npm, without a shell. */
export declare function npm(): string[];

/** Runs a command; resolves with its exit code and all that it printed. */
export declare function capture(
  command: readonly string[],
  options?: { cwd?: string; env?: NodeJS.ProcessEnv },
): Promise<{ code: number; output: string }>;
