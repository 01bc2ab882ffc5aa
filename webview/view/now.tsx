import type { ReactNode } from 'react';
import type { TaskStatus } from '../../protocol/status.js';
import {
  barWidth,
  formatCount,
  formatDuration,
  formatMegabytes,
  formatPercent,
  formatRate,
  formatSize,
  plural,
} from './format.js';
import { useLive } from './live.js';
import { Notes } from './notes.js';
import { Empty, Fact, ObjectName, Section } from './parts.js';
import { Sparkline } from './sparkline.js';

/** How the run is doing now. */
export function NowTab(): ReactNode {
  const status = useLive((model) => model.status);
  const history = useLive((model) => model.history);
  const ended = useLive((model) => model.ended);
  if (status === undefined)
    return ended ? (
      <Empty title="This run has ended">Nothing is known of it any more.</Empty>
    ) : (
      <Empty title="Waiting for the first figures">They come as soon as the pipeline has started.</Empty>
    );
  const { metrics } = status;
  return (
    <div className="now">
      <div className="tiles">
        <Tile name="Objects" value={formatCount(status.completedCount)} about={objectsText(status)}>
          <Progress part={status.completedCount + status.failedCount} of={status.totalCount} />
        </Tile>
        <Tile name="Objects per second" value={formatRate(status.rateCount)}>
          <Sparkline values={history.rateCount} colour="blue" />
        </Tile>
        <Tile name="Data" value={formatSize(status.completedSize)} about={dataText(status)}>
          <Progress part={status.completedSize + status.failedSize} of={status.totalSize} />
        </Tile>
        <Tile name="Data per second" value={formatSize(status.rateSize)}>
          <Sparkline values={history.rateSize} colour="blue" />
        </Tile>
      </div>
      <div className="tiles">
        <Tile
          name="CPU"
          value={formatPercent(metrics.cpu_percent)}
          about={`peak ${formatPercent(metrics.peak_cpu_percent)} · mean ${formatPercent(metrics.avg_cpu_percent)}`}
        >
          <Sparkline values={history.cpu} colour="green" top={100} />
        </Tile>
        <Tile
          name="Memory"
          value={formatMegabytes(metrics.cpu_memory_mb)}
          about={`peak ${formatMegabytes(metrics.peak_cpu_memory_mb)} · mean ${formatMegabytes(metrics.avg_cpu_memory_mb)}`}
        >
          <Sparkline values={history.memory} colour="purple" />
        </Tile>
        <GpuTile status={status} />
      </div>
      <div className="nowRest">
        <div className="nowFacts">
          <WorkingOn status={status} />
          <Tokens status={status} />
        </div>
        <Notes />
      </div>
    </div>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly about?: string | undefined;
  readonly children?: ReactNode;
}

function Tile({ name, value, about, children }: TileProps): ReactNode {
  return (
    <div className="tile">
      <h2 className="tileName">{name}</h2>
      <p className="tileValue">{value}</p>
      <p className="tileAbout">{about}</p>
      {children !== undefined && <div className="tileFoot">{children}</div>}
    </div>
  );
}

function GpuTile({ status: { metrics } }: { status: TaskStatus }): ReactNode {
  const history = useLive((model) => model.history);
  const used = metrics.peak_gpu_memory_mb > 0 || metrics.gpu_memory_mb > 0;
  return (
    <Tile
      name="GPU memory"
      value={used ? formatMegabytes(metrics.gpu_memory_mb) : 'Not used'}
      about={
        used
          ? `peak ${formatMegabytes(metrics.peak_gpu_memory_mb)} · mean ${formatMegabytes(metrics.avg_gpu_memory_mb)}`
          : undefined
      }
    >
      {used ? <Sparkline values={history.gpuMemory} colour="orange" /> : undefined}
    </Tile>
  );
}

function Progress({ part, of }: { part: number; of: number }): ReactNode {
  // A source that does not know how much there is has no progress.
  if (of === 0) return null;
  return (
    <div className="progress" aria-hidden="true">
      <div className="progressDone" style={{ width: barWidth(part / of) }} />
    </div>
  );
}

function objectsText({ totalCount, completedCount, failedCount }: TaskStatus): string {
  const of = totalCount > completedCount ? `of ${formatCount(totalCount)}` : 'completed';
  return failedCount > 0 ? `${of} · ${formatCount(failedCount)} failed` : of;
}

function dataText({ totalSize, completedSize, failedSize }: TaskStatus): string {
  const of = totalSize > completedSize ? `of ${formatSize(totalSize)}` : 'completed';
  return failedSize > 0 ? `${of} · ${formatSize(failedSize)} failed` : of;
}

function WorkingOn({ status }: { status: TaskStatus }): ReactNode {
  const busy = useLive(({ run }) => run?.openPipes ?? 0);
  const pipes = Math.max(busy, Object.values(status.pipeflow.byPipe).filter((stack) => stack.length > 0).length);
  return (
    <Section title="At work">
      <dl className="facts">
        <Fact name="Current object">
          {status.currentObject === '' ? (
            <span className="muted">None</span>
          ) : (
            <>
              <ObjectName name={status.currentObject} />
              {status.currentSize > 0 && <span className="muted"> {formatSize(status.currentSize)}</span>}
            </>
          )}
        </Fact>
        <Fact name="Pipes in use">
          {formatCount(pipes)} <span className="muted">of {formatCount(status.pipeflow.totalPipes)}</span>
        </Fact>
        {status.status !== '' && <Fact name="Message">{status.status}</Fact>}
        <Fact name="Idle">
          {formatDuration(status.idleSeconds)}
          {status.idleLongestSeconds > 0 && (
            <span className="muted"> · longest {formatDuration(status.idleLongestSeconds)}</span>
          )}
        </Fact>
        {status.wordsCount > 0 && <Fact name="Words">{plural(status.wordsCount, 'word')}</Fact>}
      </dl>
    </Section>
  );
}

function Tokens({ status: { tokens } }: { status: TaskStatus }): ReactNode {
  const parts: (readonly [string, number])[] = [
    ['CPU', tokens.cpu_utilization],
    ['Memory', tokens.cpu_memory],
    ['GPU memory', tokens.gpu_memory],
    ['GPU inference', tokens.gpu_inference],
    ...Object.entries(tokens.custom).slice(0, 20),
  ];
  return (
    <Section title="Tokens" aside={<span className="sectionFigure">{formatRate(tokens.total)}</span>}>
      <dl className="facts">
        {parts
          .filter(([, amount]) => amount > 0)
          .map(([name, amount]) => (
            <Fact key={name} name={name}>
              {formatRate(amount)}
            </Fact>
          ))}
      </dl>
      {tokens.total === 0 && <p className="muted">None used so far.</p>}
    </Section>
  );
}
