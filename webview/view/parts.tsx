import type { ReactNode } from 'react';
import type { Tone } from '../store/state.js';

const shapes: Record<Tone, ReactNode> = {
  quiet: <rect x="3.5" y="3.5" width="9" height="9" rx="1.5" />,
  busy: (
    <path d="M8 2.5a5.5 5.5 0 1 1-5.5 5.5" fill="none" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
  ),
  good: <circle cx="8" cy="8" r="5" />,
  idle: <circle cx="8" cy="8" r="4.3" fill="none" stroke="currentColor" strokeWidth="2" />,
  warning: <path d="M8 2 14.5 13.5h-13Z" />,
  bad: <path d="m4 4 8 8m0-8-8 8" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />,
};

/** A mark of a state: its shape says what its colour says. */
export function ToneIcon({ tone }: { tone: Tone }): ReactNode {
  return (
    <svg className={`toneIcon tone-${tone}`} viewBox="0 0 16 16" aria-hidden="true" fill="currentColor">
      {shapes[tone]}
    </svg>
  );
}

/** What is shown where there is nothing to show: why, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <svg className="emptyMark" viewBox="0 0 48 24" aria-hidden="true">
        <circle cx="8" cy="12" r="5" />
        <path d="M13 12h22" />
        <circle cx="40" cy="12" r="5" />
      </svg>
      <p className="emptyTitle">{title}</p>
      {children !== undefined && <p className="emptyText">{children}</p>}
    </div>
  );
}

export function Section({
  title,
  aside,
  children,
}: {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}): ReactNode {
  return (
    <section className="section">
      <div className="sectionHead">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** The name of an object, its last part first: that is what tells objects of one folder apart. */
export function ObjectName({ name }: { name: string }): ReactNode {
  const cut = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1;
  const hasFolder = cut > 0 && cut < name.length;
  return (
    <span className="objectName" title={name}>
      {name === '' ? 'Object without a name' : hasFolder ? name.slice(cut) : name}
      {hasFolder && <span className="objectFolder muted"> {name.slice(0, cut - 1)}</span>}
    </span>
  );
}

/** A name and a value, as one line of a list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
