import { isRecord } from '../store/preview.js';

export const tabs = ['now', 'flow', 'slowest', 'trace'] as const;
export type TabId = (typeof tabs)[number];

/** What a person chose, kept while the view is hidden or loaded again. */
export interface SavedState {
  readonly tab: TabId;
  readonly flowAs: 'graph' | 'table';
}

/** Reads what was saved; anything else becomes the beginning. */
export function readSaved(value: unknown): SavedState {
  const { tab, flowAs } = isRecord(value) ? value : {};
  return {
    tab: tabs.find((id) => id === tab) ?? 'now',
    flowAs: flowAs === 'table' ? 'table' : 'graph',
  };
}
