/**
 * A ticket from the counter of another node, beside Redis `INCR` from the same process: in each round one after the other, so that
 * a slow spell of the machine falls on both.
 */

import { installed } from "../programs.ts";
import { type Pair, type Place, startPair, withCpu } from "./pair.ts";
import { startRedis } from "./redis.ts";
import type { AtOnce, OneByOne } from "./timing.ts";

export interface TicketLengths {
  readonly rounds: number;
  /** Of each of the measurements in a round. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

interface Cpu {
  readonly askerCpuMicros: number;
  readonly askedCpuMicros: number;
}

export interface TicketRound {
  /** To the answer that carries the gift. */
  readonly answer: OneByOne;
  /** The same until gift and admission are on the gate's disk, too, so that the visitor may be told. */
  readonly disk: OneByOne & Cpu;
  readonly atOnce: AtOnce & Cpu;
  readonly increment: OneByOne | undefined;
  readonly incrementsAtOnce: AtOnce | undefined;
}

/** Default minutes: nothing but tickets goes on. */
const MINUTE_MS = 60_000;

/** Measures in `rounds` rounds after a warm-up round of its own; `tell` hears of each. */
export async function measureTickets(
  place: Place,
  lengths: TicketLengths,
  tell: (round: number, measured: TicketRound) => void,
): Promise<TicketRound[]> {
  const redis = installed("redis-server") === undefined ? undefined : await startRedis();
  const pair = await startPair(place, MINUTE_MS);
  try {
    if (redis !== undefined) await pair.asker.ask("connectRedis", { port: redis.port });
    const hasRedis = redis !== undefined;
    await measureRound(pair, lengths.warmUpSeconds * 1_000, hasRedis);
    const measured: TicketRound[] = [];
    for (let round = 1; round <= lengths.rounds; round++) {
      const result = await measureRound(pair, lengths.seconds * 1_000, hasRedis);
      measured.push(result);
      tell(round, result);
    }
    return measured;
  } finally {
    await Promise.all([pair.stop(), redis?.server.stop()]);
  }
}

async function measureRound(pair: Pair, ms: number, hasRedis: boolean): Promise<TicketRound> {
  const { asker } = pair;
  const one = await withCpu(pair, async () => {
    const { answer, disk } = await asker.ask("ticketsOneByOne", { ms });
    return { ...disk, answer };
  });
  const increment = hasRedis ? await asker.ask("incrementsOneByOne", { ms }) : undefined;
  const atOnce = await withCpu(pair, () => asker.ask("ticketsAtOnce", { ms }));
  const incrementsAtOnce = hasRedis ? await asker.ask("incrementsAtOnce", { ms }) : undefined;
  const { answer, ...disk } = one;
  return { answer, disk, atOnce, increment, incrementsAtOnce };
}
