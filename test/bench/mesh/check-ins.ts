/**
 * What a check-in costs whose home is another node: the way there and back, and CPU time at both.
 */

import { type Place, startPair, withCpu } from "./pair.ts";
import type { AtOnce, OneByOne } from "./timing.ts";

interface Cpu {
  readonly askerCpuMicros: number;
  readonly askedCpuMicros: number;
}

export interface CheckInRound {
  readonly one: OneByOne & Cpu;
  readonly atOnce: AtOnce & Cpu;
}

/** Short, because each session checks in once a minute; all of them must be done within one. */
const MINUTE_MS = 3_000;

const ONE_BY_ONE = 1_000;
const AT_ONCE = 10_000;

/** Measures in `rounds` minutes, after one to warm up; `tell` hears of each. */
export async function measureCheckIns(
  place: Place,
  rounds: number,
  tell: (round: number, measured: CheckInRound) => void,
): Promise<CheckInRound[]> {
  const pair = await startPair(place, MINUTE_MS);
  const { asker } = pair;
  try {
    await asker.ask("enter", { count: ONE_BY_ONE + AT_ONCE });
    const measured: CheckInRound[] = [];
    for (let round = 0; round <= rounds; round++) {
      await asker.ask("nextMinute", undefined);
      const one = await withCpu(pair, () => asker.ask("checkInsOneByOne", { count: ONE_BY_ONE }));
      const atOnce = await withCpu(pair, () => asker.ask("checkInsAtOnce", undefined));
      if (round === 0) continue;
      measured.push({ one, atOnce });
      tell(round, { one, atOnce });
    }
    return measured;
  } finally {
    await pair.stop();
  }
}
