import type { ReactNode } from 'react';
import type { LinkState } from '../../protocol/liveView.js';
import { stateWords } from '../store/state.js';
import { formatCount, plural } from './format.js';
import { useLive } from './live.js';
import { ToneIcon } from './parts.js';

/** What a person must know about the view itself: a lost connection, lost events, why a run failed. */
export function Banners(): ReactNode {
  const link = useLive((model) => model.link);
  const lost = useLive((model) => model.lostEvents);
  const failed = useLive((model) => stateWords(model).label === 'Failed');
  const status = useLive((model) => model.status);
  return (
    <>
      <LinkBanner link={link} />
      {failed && (
        <Banner tone="bad" title={`The run failed with exit code ${status?.exitCode ?? 0}.`}>
          {status?.exitMessage}
        </Banner>
      )}
      {lost > 0 && (
        <Banner tone="warning" title={`${plural(lost, 'event')} did not arrive.`}>
          <LostRanges /> Counts come from the server and are right; single objects may be missing here.
        </Banner>
      )}
    </>
  );
}

function LinkBanner({ link }: { link: LinkState }): ReactNode {
  switch (link.kind) {
    case 'reconnecting':
      return (
        <Banner tone="warning" title="The connection is lost. It is tried again by itself.">
          {link.reason}
        </Banner>
      );
    case 'failed':
      return (
        <Banner tone="bad" title={link.reason || 'The connection is lost.'}>
          {link.hint}
        </Banner>
      );
    case 'live':
    case 'ended':
      return null;
  }
}

function LostRanges(): ReactNode {
  const ranges = useLive((model) => model.lost);
  const newest = ranges.newest();
  if (newest === undefined) return null;
  const { first, last } = newest;
  const numbers = first === last ? formatCount(first) : `${formatCount(first)} to ${formatCount(last)}`;
  return ranges.length === 1 ? `Number ${numbers}.` : `${ranges.length} gaps, the newest at ${numbers}.`;
}

function Banner({
  tone,
  title,
  children,
}: {
  tone: 'warning' | 'bad';
  title: string;
  children?: ReactNode;
}): ReactNode {
  return (
    <div className={`banner banner-${tone}`}>
      <ToneIcon tone={tone} />
      <p>
        <strong>{title}</strong> {children}
      </p>
    </div>
  );
}
