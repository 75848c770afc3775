/**
 * Turns the records of all nodes into points of time: sums of events, and averages of states.
 *
 * A node's average of a minute is over its looks in it; the room's is the sum over its nodes. So a room's `inside` is
 * not above its limit because two nodes had their highest values at different moments.
 */

import { z } from "zod";
import type { Minute, NodeId } from "../../mesh/core/ids.ts";
import type { Shape } from "../config/document-fields.ts";
import {
  countIn,
  HELD_REASONS,
  type MinuteRecord,
  pairsOf,
  type Source,
  SUMS,
  type Sums,
  UNKNOWN_REASON,
} from "./minute-record.ts";
import { percentilesOf, WAIT_PERCENTILES } from "./wait-classes.ts";

const count = z.int().min(0);
const average = z.number().min(0);

export const LOCALITY_FIGURES = z.object({
  admitted: count.describe("sessions that began there"),
  inside: average.describe("visitors inside, on average"),
  waiting: average.describe("visitors in line, on average"),
});

/** A step of time, or the whole span. */
export const FIGURES = z.object({
  inside: average.describe("visitors inside, on average"),
  inside_max: average.describe("the same in the highest minute"),
  limit: count.nullable().describe("the highest limit; null where it is not known"),
  minutes_over_limit: count.describe("minutes in which more visitors were inside than the limit of that minute"),
  over_limit_max: average.describe("how many more at most"),
  admitted: count.describe("sessions that began"),
  waiting: average.describe("visitors in line, on average"),
  waiting_max: average.describe("the same in the highest minute"),
  joined: count.describe("places that were taken in line"),
  waited_seconds: WAIT_PERCENTILES.nullable().describe("waits of visitors admitted from the line; null if nobody was"),
  abandoned: count.describe("visitors who left the line, or stopped asking before they were called"),
  no_shows: count.describe("visitors who were called and did not come"),
  returned: count.describe("visitors who asked for a place that the line had given up"),
  revoked: count.describe("sessions that the origin ended by revoke"),
  completed: count.describe("sessions that the origin ended by complete"),
  bypassed: count.describe("requests that passed by a rule, an address or a staff pass, or of proven crawlers"),
  rejected: count.describe("requests of visitors who got neither a slot nor a place"),
  held_back: z
    .record(z.string(), z.number().min(0))
    .describe("seconds in which visitors in line were held back, by reason"),
  localities: z.record(z.string(), LOCALITY_FIGURES).describe("by locality"),
});
export type Figures = Shape<typeof FIGURES>;

/** A record and where it comes from. */
export interface Row extends Pick<MinuteRecord, "minute" | "counts" | "waits" | "held"> {
  readonly source: Pick<Source, "node" | "locality">;
}

/** What one node says about one minute, all of its runs in it together. */
interface NodeMinute {
  readonly locality: string;
  samples: number;
  inside: number;
  waiting: number;
}

/** The minute whose rows are being added. */
interface OpenMinute {
  readonly minute: Minute;
  readonly nodes: Map<NodeId, NodeMinute>;
  readonly heldMs: Map<string, number>;
  /** The highest that a node has said; 0 where none has. */
  limit: number;
}

interface LocalitySums {
  admitted: number;
  inside: number;
  waiting: number;
}

/** Adds up whole minutes. */
class Tally {
  readonly sums = Object.fromEntries(SUMS.map((name) => [name, 0])) as Sums;
  readonly waits = new Map<number, number>();
  readonly heldMs = new Map<string, number>();
  readonly localities = new Map<string, LocalitySums>();
  inside = 0;
  insideMax = 0;
  waiting = 0;
  waitingMax = 0;
  limit: number | undefined;
  minutesOver = 0;
  overMax = 0;

  add({ source, waits, ...row }: Row): void {
    for (const name of SUMS) this.sums[name] += countIn(row, name);
    for (const [waitClass, count] of pairsOf(waits))
      this.waits.set(waitClass, (this.waits.get(waitClass) ?? 0) + count);
    this.locality(source.locality).admitted += countIn(row, "admitted");
    const limit = countIn(row, "limit");
    if (limit > 0) this.limit = Math.max(this.limit ?? 0, limit);
  }

  /** What all nodes together say about a minute. `limit`: 0 where no node has said it. */
  close(nodes: Iterable<NodeMinute>, { heldMs, limit }: Pick<OpenMinute, "heldMs" | "limit">): void {
    let [inside, waiting] = [0, 0];
    for (const { locality, samples, ...sums } of nodes) {
      if (samples === 0) continue;
      const of = this.locality(locality);
      inside += sums.inside / samples;
      waiting += sums.waiting / samples;
      of.inside += sums.inside / samples;
      of.waiting += sums.waiting / samples;
    }
    this.inside += inside;
    this.waiting += waiting;
    this.insideMax = Math.max(this.insideMax, inside);
    if (limit > 0 && Math.round(inside) > limit) {
      this.minutesOver += 1;
      this.overMax = Math.max(this.overMax, inside - limit);
    }
    this.waitingMax = Math.max(this.waitingMax, waiting);
    for (const [reason, ms] of heldMs) this.heldMs.set(reason, (this.heldMs.get(reason) ?? 0) + ms);
  }

  locality(name: string): LocalitySums {
    return this.localities.getOrInsertComputed(name, () => ({ admitted: 0, inside: 0, waiting: 0 }));
  }

  /** `minutes`: over which averages go. */
  figures(minutes: number, limit = this.limit): Figures {
    const average = (sum: number): number => hundredths(minutes === 0 ? 0 : sum / minutes);
    const localities = [...this.localities].sort(([one], [other]) => (one < other ? -1 : 1));
    const held = [...this.heldMs].map(([reason, ms]) => [reason, Math.round(ms / 100) / 10] as const);
    return {
      inside: average(this.inside),
      inside_max: hundredths(this.insideMax),
      limit: limit ?? null,
      minutes_over_limit: this.minutesOver,
      over_limit_max: hundredths(this.overMax),
      admitted: this.sums.admitted,
      waiting: average(this.waiting),
      waiting_max: hundredths(this.waitingMax),
      joined: this.sums.joined,
      waited_seconds: percentilesOf(this.waits),
      abandoned: this.sums.abandoned,
      no_shows: this.sums.no_shows,
      returned: this.sums.returned,
      revoked: this.sums.revoked,
      completed: this.sums.completed,
      bypassed: this.sums.bypassed,
      rejected: this.sums.rejected,
      held_back: Object.fromEntries(held),
      localities: Object.fromEntries(
        localities.map(([name, { admitted, inside, waiting }]) => [
          name,
          { admitted, inside: average(inside), waiting: average(waiting) },
        ]),
      ),
    };
  }
}

export interface Steps {
  readonly from: Minute;
  /** Exclusive. */
  readonly to: Minute;
  /** Minutes of a step. */
  readonly step: number;
  /** The minute that is not over yet: averages do not go over it. */
  readonly now: Minute;
}

export class Points {
  readonly #steps: Steps;
  readonly #tallies = new Map<number, Tally>();
  readonly #all = new Tally();
  #open: OpenMinute | undefined;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** Rows come in the order of their minutes. */
  add(row: Row): void {
    const { from, to } = this.#steps;
    if (row.minute < from || row.minute >= to) return;
    if (row.minute !== this.#open?.minute) this.#close();
    this.#open ??= { minute: row.minute, nodes: new Map(), heldMs: new Map(), limit: 0 };
    const open = this.#open;
    this.#tallyOf(row.minute).add(row);
    this.#all.add(row);
    const { node, locality } = row.source;
    const of = open.nodes.getOrInsertComputed(node, () => ({ locality, samples: 0, inside: 0, waiting: 0 }));
    of.samples += countIn(row, "samples");
    of.inside += countIn(row, "inside");
    of.waiting += countIn(row, "waiting");
    open.limit = Math.max(open.limit, countIn(row, "limit"));
    // Nodes of several localities are held back at the same time: the longest counts.
    for (const [at, ms] of pairsOf(row.held)) {
      const reason = HELD_REASONS[at] ?? UNKNOWN_REASON;
      open.heldMs.set(reason, Math.max(open.heldMs.get(reason) ?? 0, ms));
    }
  }

  /** All steps of the span, those without a record too, in order. `limit`: the one known before the span. */
  *finish(limit: number | undefined): Generator<readonly [Minute, Figures]> {
    this.#close();
    const { from, to, step, now } = this.#steps;
    let known = limit;
    for (let at = from; at < to; at = (at + step) as Minute) {
      const tally = this.#tallies.get(at) ?? new Tally();
      known = tally.limit ?? known;
      yield [at, tally.figures(Math.max(0, Math.min(step, now - at)), known)];
    }
  }

  /** The whole span. */
  get totals(): Figures {
    this.#close();
    const { from, to, now } = this.#steps;
    return this.#all.figures(Math.max(0, Math.min(to, now) - from));
  }

  #tallyOf(minute: Minute): Tally {
    const { from, step } = this.#steps;
    return this.#tallies.getOrInsertComputed(minute - ((minute - from) % step), () => new Tally());
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { minute, nodes } = this.#open;
    for (const tally of [this.#tallyOf(minute), this.#all]) tally.close(nodes.values(), this.#open);
    this.#open = undefined;
  }
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
