import type { ReactNode } from 'react';
import { useMemo } from 'react';
import type { LiveNote } from '../../protocol/liveView.js';
import type { NoteLog } from '../store/model.js';
import { formatClock, plural } from './format.js';
import { useCalm, useLive } from './live.js';
import { Section, ToneIcon } from './parts.js';

interface ShownNote {
  readonly key: string;
  readonly tone: 'bad' | 'warning';
  readonly time: number | undefined;
  readonly text: string;
}

/** More are not shown; the newest matter. */
const most = 100;

/** Errors and warnings, the newest first. */
export function Notes(): ReactNode {
  const errors = useLive((model) => model.errors);
  const warnings = useLive((model) => model.warnings);
  const version = useCalm(
    useLive((model) => model.errors.version + model.warnings.version),
    250,
  );
  const oldErrors = useLive((model) => model.status?.errors);
  const oldWarnings = useLive((model) => model.status?.warnings);
  const notes = useMemo(
    () =>
      version >= 0
        ? [...shown(errors, oldErrors, 'bad'), ...shown(warnings, oldWarnings, 'warning')]
            .sort((a, b) => (b.time ?? 0) - (a.time ?? 0))
            .slice(0, most)
        : [],
    [errors, warnings, version, oldErrors, oldWarnings],
  );
  const totals = [errors.total || (oldErrors?.length ?? 0), warnings.total || (oldWarnings?.length ?? 0)] as const;
  return (
    <Section
      title="Errors and warnings"
      aside={
        <span className="sectionFigure muted">
          {plural(totals[0], 'error')} · {plural(totals[1], 'warning')}
        </span>
      }
    >
      {notes.length === 0 ? (
        <p className="muted">None.</p>
      ) : (
        <ul className="notes" tabIndex={0} aria-label="Errors and warnings, newest first">
          {notes.map(({ key, tone, time, text }) => (
            <li key={key} className="note">
              <ToneIcon tone={tone} />
              <span className="visuallyHidden">{tone === 'bad' ? 'Error' : 'Warning'}</span>
              <span className="noteText">{text}</span>
              {time !== undefined && <time className="noteTime">{formatClock(time)}</time>}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The notes as they came; those of the status where none came, because they are older than the view. */
function shown(log: NoteLog, old: readonly string[] | undefined, tone: ShownNote['tone']): ShownNote[] {
  if (log.ring.length > 0)
    return log.ring
      .toReversed()
      .slice(0, most)
      .map(({ seqNo, time, text }: LiveNote) => ({ key: `${tone}${seqNo}`, tone, time, text }));
  return [...(old ?? [])]
    .reverse()
    .slice(0, most)
    .map((text, at) => ({ key: `${tone}-${at}`, tone, time: undefined, text: text.slice(0, 2000) }));
}
