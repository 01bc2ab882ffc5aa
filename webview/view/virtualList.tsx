import type { KeyboardEvent, ReactNode } from 'react';
import { useEffect, useRef, useState } from 'react';

interface VirtualListProps<T> {
  readonly items: readonly T[];
  readonly rowHeight: number;
  readonly label: string;
  readonly keyOf: (item: T) => number;
  readonly selected: T | undefined;
  readonly onSelect: (item: T) => void;
  /** Whether the list stands at its top. */
  readonly onTop: (top: boolean) => void;
  readonly row: (item: T) => ReactNode;
}

const beyond = 6;

/** A list of any length that draws only what is in sight. Arrow keys, Page Up and Down, Home and End select. */
export function VirtualList<T>(props: VirtualListProps<T>): ReactNode {
  const { items, rowHeight, label, keyOf, selected, onSelect, onTop, row } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(400);
  useEffect(() => {
    if (frame.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setHeight(entry?.contentRect.height ?? 0));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(scroll / rowHeight) - beyond);
  const last = Math.min(items.length, Math.ceil((scroll + height) / rowHeight) + beyond);
  const drawn = items.slice(first, last);
  const active = selected !== undefined && drawn.includes(selected) ? `row-${keyOf(selected)}` : undefined;
  const move = (event: KeyboardEvent): void => {
    const at = selected === undefined ? -1 : items.indexOf(selected);
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const next = nextPlace(event.key, at, page, items.length);
    const item = next === undefined ? undefined : items[next];
    if (next === undefined || item === undefined) return;
    event.preventDefault();
    onSelect(item);
    const top = next * rowHeight;
    const list = frame.current;
    if (list === null) return;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + rowHeight > list.scrollTop + height) list.scrollTop = top + rowHeight - height;
  };
  return (
    <div
      className="list"
      ref={frame}
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={active}
      onKeyDown={move}
      onScroll={({ currentTarget: { scrollTop } }) => {
        setScroll(scrollTop);
        onTop(scrollTop < rowHeight / 2);
      }}
    >
      <div className="listAll" role="presentation" style={{ height: items.length * rowHeight }}>
        {drawn.map((item, at) => (
          <div
            key={keyOf(item)}
            id={`row-${keyOf(item)}`}
            role="option"
            aria-selected={item === selected}
            aria-posinset={first + at + 1}
            aria-setsize={items.length}
            className="listRow"
            style={{ height: rowHeight, transform: `translateY(${(first + at) * rowHeight}px)` }}
            onClick={() => onSelect(item)}
          >
            {row(item)}
          </div>
        ))}
      </div>
    </div>
  );
}

function nextPlace(key: string, at: number, page: number, count: number): number | undefined {
  const within = (place: number): number => Math.max(0, Math.min(count - 1, place));
  switch (key) {
    case 'ArrowDown':
      return within(at + 1);
    case 'ArrowUp':
      return within(at - 1);
    case 'PageDown':
      return within(at + page);
    case 'PageUp':
      return within(at - page);
    case 'Home':
      return 0;
    case 'End':
      return within(count - 1);
    default:
      return undefined;
  }
}
