import type { ExtensionContext } from 'vscode';

/** Assembles the extension: every object is made here and given to others. */
export function activate(_context: ExtensionContext): void {}
