/**
 * Flags for whoever starts the engine's process: the editor, `npm start`, a service manager. Uploads pass through buffers outside the heap; with a small old space V8 collects
 * all of it every few megabytes of them, which halved the rate of large uploads.
 */
export const nodeFlags: readonly string[] = ['--initial-old-space-size=128'];
