/** Runs `work` while this process alone holds `file`; `say` hears when it has to wait for another one. */
export function withLock<T>(file: string, say: (text: string) => void, work: () => Promise<T>): Promise<T>;
