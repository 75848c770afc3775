/**
 * When visitors arrive: a plan that is made before the run, from a seed, and that no answer of the site can change.
 *
 * An open loop: real visitors do not wait for each other. A generator that sends the next request when the last one is
 * answered asks a slow site less often, and so measures it as faster than its visitors find it (coordinated omission).
 * Arrivals are a Poisson process, as those of people who do not know each other: gaps are exponential, and a rate that
 * changes stretches them.
 */

export type ArrivalPlan =
  /** Rates are of visitors a minute; from the first to the last one in a straight line. */
  | { readonly kind: "rate"; readonly from: number; readonly to: number; readonly forMs: number }
  | { readonly kind: "at-once"; readonly visitors: number };

/** Ms since the start at which visitors arrive, in order. The sequence ends with the plan. */
export function* arrivalsOf(plan: ArrivalPlan, random: () => number): Generator<number, void> {
  if (plan.kind === "at-once") {
    for (let visitor = 0; visitor < plan.visitors; visitor++) yield 0;
    return;
  }
  let expected = 0;
  for (;;) {
    // The next event of a process with rate 1, moved to where so many arrivals are expected.
    expected -= Math.log(1 - random());
    const atMs = timeOf(expected, plan);
    if (atMs === undefined) return;
    yield atMs;
  }
}

/** How many visitors the plan expects. */
export function expectedVisitors(plan: ArrivalPlan): number {
  return plan.kind === "at-once" ? plan.visitors : ((plan.from + plan.to) / 2) * (plan.forMs / 60_000);
}

/** When `expected` arrivals are expected, in ms; undefined after the end of the plan. */
function timeOf(expected: number, { from, to, forMs }: Extract<ArrivalPlan, { kind: "rate" }>): number | undefined {
  const minutes = forMs / 60_000;
  if (expected > ((from + to) / 2) * minutes) return undefined;
  const growth = (to - from) / minutes;
  // The root of growth / 2 × t² + from × t = expected, in the form that also holds without growth.
  const root = Math.sqrt(Math.max(0, from * from + 2 * growth * expected));
  const time = (2 * expected) / (from + root);
  return Math.min(forMs, 60_000 * time);
}
