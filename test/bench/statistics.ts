/**
 * The benchmark's arithmetic: medians of rounds, and ratios of rounds that were measured next to each other.
 */

/** Middle of `values` in order, the mean of the two in the middle if their number is even; NaN when there is none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value below or at which the part `part` (0 to 1) of `values` lies, by nearest rank; NaN when there is none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
}

/**
 * Median of `values[i] / bases[i]`. Both are of one round, so what disturbed the machine in that round disturbed both;
 * the ratio of two medians would compare a good round with a bad one. NaN when there are no pairs.
 */
export function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(
    values.flatMap((value, round) => {
      const base = bases[round];
      return base === undefined ? [] : [value / base];
    }),
  );
}

/** CPU time of a process from the text of its /proc/PID/stat, in ms: user and system, all threads. */
export function cpuMsOf(stat: string, ticksPerSecond: number): number {
  // The name, in brackets, may hold anything; fields are counted from behind it (proc(5): utime is 14, stime 15).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}
