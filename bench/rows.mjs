import { medianOf } from './rounds.mjs';

/**
 * One line of the table from paired rounds: the medians of both cells, and the median of the ratios of the rounds.
 *
 * @param rounds records by cell name
 * @param options `own` and `against` name the cells, `value` reads the figure from a record, `show` writes it;
 *   `atMost` says that less is better; without a `goal` the line is there for comparison only
 */
export function row(rounds, { id, what, reference, own = 'ours', against = 'other', value, show, ...limits }) {
  const ratios = rounds.map((round) => value(round[own]) / value(round[against]));
  return {
    id,
    what,
    ours: show(medianOf(rounds, (round) => value(round[own]))),
    reference: `${show(medianOf(rounds, (round) => value(round[against])))} (${reference})`,
    ...judge(
      medianOf(ratios, (ratio) => ratio),
      limits,
    ),
    spread: `${showRatio(Math.min(...ratios))}–${showRatio(Math.max(...ratios))}`,
  };
}

/** Floor, goal and verdict of a figure. `unit` is written behind it; without one it is a ratio. */
export function judge(figure, { floor, goal, atMost = false, unit = '×' }) {
  const sign = atMost ? '≤' : '≥';
  const write = (limit) => (limit === undefined ? '' : `${sign} ${showRatio(limit)} ${unit}`);
  const reaches = (limit) => (atMost ? figure <= limit : figure >= limit);
  return {
    ratio: `${showRatio(figure)} ${unit}`,
    floor: write(floor),
    goal: write(goal),
    verdict: goal === undefined ? '' : reaches(goal) ? 'goal' : reaches(floor) ? 'floor' : 'below',
  };
}

export function perSecond(value) {
  return `${Math.round(value).toLocaleString('en-US')}/s`;
}

function showRatio(value) {
  return Number(value.toPrecision(3)).toString();
}
