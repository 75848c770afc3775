/**
 * How far the order of admissions is from the order of arrivals.
 */

export interface Order {
  readonly visitors: number;
  /** Kendall's tau: 1 for the same order, 0 for none, -1 for the reverse. 1 for fewer than two visitors. */
  readonly tau: number;
  /** Most places by which one visitor was admitted earlier or later than its turn. */
  readonly displacement: number;
}

/** `turns` are the times of arrival in the order of admission; equal times count as in order. */
export function orderOf(turns: readonly number[]): Order {
  const visitors = turns.length;
  const byArrival = turns
    .map((arrived, place) => ({ arrived, place }))
    .sort((a, b) => a.arrived - b.arrived || a.place - b.place);
  const displacement = byArrival.reduce((most, { place }, turn) => Math.max(most, Math.abs(place - turn)), 0);
  const pairs = (visitors * (visitors - 1)) / 2;
  const tau = pairs === 0 ? 1 : 1 - (2 * inversions([...turns])) / pairs;
  return { visitors, tau, displacement };
}

/** Pairs of `values` in the wrong order, by merge sort; sorts `values`. */
function inversions(values: number[]): number {
  if (values.length < 2) return 0;
  const middle = values.length >>> 1;
  const left = values.slice(0, middle);
  const right = values.slice(middle);
  let count = inversions(left) + inversions(right);
  let [atLeft, atRight] = [0, 0];
  for (let at = 0; at < values.length; at++) {
    const [one, other] = [left[atLeft], right[atRight]];
    if (other === undefined || (one !== undefined && one <= other)) {
      values[at] = one ?? 0;
      atLeft += 1;
    } else {
      values[at] = other;
      atRight += 1;
      count += left.length - atLeft;
    }
  }
  return count;
}
