import type { ReactNode } from 'react';
import { useCallback, useMemo, useState } from 'react';
import type { LiveHost } from '../liveHost.js';
import type { LiveStore } from '../store/store.js';
import { Banners } from './banner.js';
import { FlowTab } from './flow/flowTab.js';
import { formatCount } from './format.js';
import { Header } from './header.js';
import { LiveContext, useCalm, useLive, useLiveView } from './live.js';
import type { Live } from './live.js';
import { NowTab } from './now.js';
import { readSaved } from './savedState.js';
import type { SavedState, TabId } from './savedState.js';
import { SlowestTab } from './slowest.js';
import { TabList, panelElement, tabElement } from './tabs.js';
import { TraceTab } from './trace.js';

const panels: Record<TabId, () => ReactNode> = { now: NowTab, flow: FlowTab, slowest: SlowestTab, trace: TraceTab };

export function App({ store, host }: { store: LiveStore; host: LiveHost }): ReactNode {
  const [saved, setSaved] = useState<SavedState>(() => readSaved(host.getState()));
  const save = useCallback(
    (change: Partial<SavedState>) =>
      setSaved((before) => {
        const next = { ...before, ...change };
        host.setState(next);
        return next;
      }),
    [host],
  );
  const live = useMemo<Live>(
    () => ({
      store,
      saved,
      save,
      openComponent: (id) => host.post({ type: 'openComponent', id }),
      stop: () => host.post({ type: 'stop' }),
      requestTrace: (beginSeq) => host.post({ type: 'trace', beginSeq }),
    }),
    [store, host, saved, save],
  );
  return (
    <LiveContext value={live}>
      <Frame />
    </LiveContext>
  );
}

function Frame(): ReactNode {
  const { saved, save } = useLiveView();
  // What was chosen in one run means nothing in the next.
  const run = useLive((model) => model.runs);
  const { tab } = saved;
  const Panel = panels[tab];
  return (
    <div className="app">
      <Header />
      <Banners />
      <TabList
        chosen={tab}
        onChoose={(id) => save({ tab: id })}
        badges={{ now: <ErrorBadge />, trace: <FailedBadge /> }}
      />
      <main
        key={`${tab}/${run}`}
        className={`panel panel-${tab}`}
        role="tabpanel"
        id={panelElement(tab)}
        aria-labelledby={tabElement(tab)}
      >
        <Panel />
      </main>
    </div>
  );
}

function ErrorBadge(): ReactNode {
  const errors = useLive((model) => model.errors.total || (model.status?.errors.length ?? 0));
  return <Badge count={useCalm(errors, 500)} what="errors" />;
}

function FailedBadge(): ReactNode {
  const failed = useLive((model) => model.run?.objects.failed ?? 0);
  return <Badge count={useCalm(failed, 500)} what="failed objects" />;
}

function Badge({ count, what }: { count: number; what: string }): ReactNode {
  if (count === 0) return null;
  return (
    <span className="badge">
      {formatCount(count)}
      <span className="visuallyHidden"> {what}</span>
    </span>
  );
}
