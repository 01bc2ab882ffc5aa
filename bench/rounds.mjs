/** Rounds that do not count: code that has just started is not optimised yet. */
const warmUps = 2;

/**
 * Measures cells by turns, `rounds` times after the warm-up, the order of the cells reversed in every other round, so
 * that what else the machine does meets all of them.
 *
 * @param cells name → function that measures once
 * @returns one record of the measurements by name for each round
 */
export async function byTurns(rounds, cells) {
  const records = [];
  const names = Object.keys(cells);
  for (let round = 0; round < warmUps + rounds; round++) {
    const record = {};
    for (const name of round % 2 === 0 ? names : [...names].reverse()) record[name] = await cells[name]();
    if (round >= warmUps) records.push(record);
  }
  return records;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Median over the rounds of what `of` reads from each. */
export function medianOf(records, of) {
  return median(records.map(of));
}
