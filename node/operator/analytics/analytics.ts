/**
 * What happened in a room, read from the minutes of all nodes that are here: in parts, between which requests are
 * answered.
 */

import { z } from "zod";
import type { Minute, NodeId } from "../../../mesh/core/ids.ts";
import type { Shape } from "../../config/document-fields.ts";
import { timeText } from "../../config/field-kinds.ts";
import { gapsIn } from "../../history/coverage.ts";
import { countIn, type Source } from "../../history/minute-record.ts";
import { FIGURES, Points, type Row, type Steps } from "../../history/points.ts";
import { isoOf } from "../../iso-time.ts";
import type { NamedRoom } from "../../storage/history-file.ts";
import type { HistoryStore } from "../../storage/history-store.ts";

/** Records that are read in one part: some ms. */
const ROWS_AT_ONCE = 2_000;

/** Minutes that are read at once at least, however many nodes there are. */
const MINUTES_AT_ONCE = 10;

/** So long after the end of a minute nobody misses it: it is on its way. */
const UNDERWAY_MS = 20_000;

export interface AnalyticsParts {
  readonly store: Pick<HistoryStore, "sources" | "rooms" | "rowsOf" | "lastBefore" | "lastMinute">;
  readonly minuteMs: number;
  /** The time of the rooms, in Unix ms. */
  readonly roomMs: () => number;
  /** Nodes that may be counting now, this one included. */
  readonly running: () => ReadonlySet<NodeId>;
  readonly nameOf: (node: NodeId) => string | undefined;
  /** The room that has this name now. */
  readonly roomOf: (name: string) => { readonly id: string; readonly createdMs: number } | undefined;
}

export const POINT = z.object({ at: timeText.describe("where the step begins"), ...FIGURES.shape });
export type Point = Shape<typeof POINT>;

export const ANALYTICS = z.object({
  room: z.string().describe("the room's name"),
  from: timeText.describe("where the first step begins"),
  to: timeText.describe("where the last step ends"),
  step_seconds: z.number().describe("the length of a step"),
  complete_until: timeText.describe("nothing before it changes any more"),
  missing: z
    .array(
      z.object({
        node: z.string().describe("the node's id"),
        name: z.string().optional().describe("what its operator calls it"),
        from: timeText.describe("the first minute that is missing"),
        to: timeText.describe("the end of the last one"),
      }),
    )
    .describe("minutes of nodes that are not in the answer, those lost for good too"),
  points: z.array(POINT).describe("every step of the span"),
  totals: FIGURES.describe("the whole span"),
});
export type Analytics = Shape<typeof ANALYTICS>;

export class RoomAnalytics {
  readonly #parts: AnalyticsParts;

  constructor(parts: AnalyticsParts) {
    this.#parts = parts;
  }

  get minuteMs(): number {
    return this.#parts.minuteMs;
  }

  get nowMs(): number {
    return this.#parts.roomMs();
  }

  /** Whether there was a room of this name, as far as is kept. */
  wasThere(name: string): boolean {
    return this.#parts.store.rooms.some((room) => room.name === name);
  }

  /** Undefined for a room that is neither there nor was. */
  async read(name: string, steps: Steps): Promise<Analytics | undefined> {
    const rooms = this.#roomsOf(name);
    if (rooms === undefined) return undefined;
    const points = new Points(steps);
    for await (const rows of this.#partsOf(rooms, steps)) for (const row of rows) points.add(row);
    const limit = countIn(this.#parts.store.lastBefore(rooms, steps.from) ?? { counts: [] }, "limit");
    const iso = (minute: Minute): string => this.#iso(minute);
    return {
      ...this.#headOf(name, steps),
      points: [...points.finish(limit === 0 ? undefined : limit)].map(([at, figures]) => ({ at: iso(at), ...figures })),
      totals: points.totals,
    };
  }

  /**
   * All names of a room that is there, but for those of a deleted one that had its id; of one that is not there, what
   * was counted under its last name.
   */
  #roomsOf(name: string): readonly NamedRoom[] | undefined {
    const { store, roomOf, minuteMs } = this.#parts;
    const live = roomOf(name);
    if (live !== undefined) {
      const isOfIt = (each: NamedRoom) =>
        each.name === name || (store.lastMinute(each) ?? 0) >= Math.floor(live.createdMs / minuteMs);
      return store.rooms.filter((each) => each.room === live.id && isOfIt(each));
    }
    const past = store.rooms.filter((room) => room.name === name);
    const last = past.map((room) => [store.lastMinute(room) ?? 0, room] as const).sort(([one], [other]) => other - one);
    return last[0] && [last[0][1]];
  }

  async *#partsOf(rooms: readonly NamedRoom[], { from, to }: Steps): AsyncGenerator<readonly Row[]> {
    const { store } = this.#parts;
    const nodes = new Set(store.sources.map(({ node }) => node)).size;
    const minutes = Math.max(MINUTES_AT_ONCE, Math.floor(ROWS_AT_ONCE / Math.max(1, nodes * rooms.length)));
    for (let at = from; at < to; at = (at + minutes) as Minute) {
      yield store.rowsOf(rooms, { from: at, to: Math.min(to, at + minutes) as Minute });
      await Bun.sleep(0);
    }
  }

  #headOf(room: string, { from, to, step, now }: Steps): Omit<Analytics, "points" | "totals"> {
    const { store, running, nameOf, minuteMs, roomMs } = this.#parts;
    const known: readonly Source[] = store.sources;
    const over = Math.min(to, now) as Minute;
    const first = gapsIn(known, running(), { from, to: over }).find(({ isLost }) => !isLost);
    const due = Math.floor((roomMs() - UNDERWAY_MS) / minuteMs);
    const missing = gapsIn(known, running(), { from, to: Math.min(over, due) as Minute });
    return {
      room,
      from: this.#iso(from),
      to: this.#iso(to),
      step_seconds: (step * minuteMs) / 1_000,
      complete_until: this.#iso(first === undefined ? (Math.max(from, over) as Minute) : first.from),
      missing: missing.map((gap) => {
        const name = nameOf(gap.node);
        return {
          node: gap.node,
          ...(name !== undefined && { name }),
          from: this.#iso(gap.from),
          to: this.#iso(gap.to),
        };
      }),
    };
  }

  #iso(minute: Minute): string {
    return isoOf(minute * this.#parts.minuteMs);
  }
}
