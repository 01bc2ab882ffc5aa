import type { KeyboardEvent, ReactNode } from 'react';
import { useRef } from 'react';
import { tabs } from './savedState.js';
import type { TabId } from './savedState.js';

const titles: Record<TabId, string> = { now: 'Now', flow: 'Flow', slowest: 'Slowest', trace: 'Trace' };

export const tabElement = (id: TabId): string => `tab-${id}`;
export const panelElement = (id: TabId): string => `panel-${id}`;

interface TabListProps {
  readonly chosen: TabId;
  readonly onChoose: (id: TabId) => void;
  readonly badges: Partial<Record<TabId, ReactNode>>;
}

/** The four views of a run. Arrow keys, Home and End move between them. */
export function TabList({ chosen, onChoose, badges }: TabListProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const next = nextTab(chosen, event.key);
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next);
    list.current?.querySelector<HTMLElement>(`#${tabElement(next)}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="Views of this run" ref={list} onKeyDown={move}>
      {tabs.map((id) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={tabElement(id)}
          className="tab"
          aria-selected={id === chosen}
          aria-controls={id === chosen ? panelElement(id) : undefined}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {titles[id]}
          {badges[id]}
        </button>
      ))}
    </div>
  );
}

function nextTab(chosen: TabId, key: string): TabId | undefined {
  const at = tabs.indexOf(chosen);
  switch (key) {
    case 'ArrowRight':
      return tabs[(at + 1) % tabs.length];
    case 'ArrowLeft':
      return tabs[(at + tabs.length - 1) % tabs.length];
    case 'Home':
      return tabs[0];
    case 'End':
      return tabs.at(-1);
    default:
      return undefined;
  }
}
