/**
 * Measures cells by turns: one warm-up round that does not count, then `rounds` rounds, the order of the cells reversed
 * in every other one, so that what else the machine does meets all of them.
 *
 * @param cells name → function that measures once
 * @returns one record of the measurements by name for each round
 */
export async function byTurns(rounds, cells) {
  const records = [];
  const names = Object.keys(cells);
  for (let round = 0; round <= rounds; round++) {
    const record = {};
    for (const name of round % 2 === 0 ? names : [...names].reverse()) record[name] = await cells[name]();
    if (round > 0) records.push(record);
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
