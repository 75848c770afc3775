/**
 * The visitors inside, according to origin and cookies: from the origin's first answer to the end of the last minute
 * for which the cookie is good.
 *
 * The promise is about exactly this time, so no count of the nodes is used. A stay ends when its cookie does, whether
 * or not its visitor has gone before. Arrivals count in the minute that the admitting node stamped: the cookie of an
 * admission is good for the length of a session after it.
 */

import type { AccountId, Minute } from "../../mesh/core/ids.ts";
import { startOfMinuteMs } from "../../mesh/core/minute.ts";

export interface StaysOptions {
  readonly minuteMs: number;
  /** Minutes that a session lasts after its last request. */
  readonly sessionMinutes: number;
}

/** The content of a visitor's cookie about its stay. */
export interface StayCookie {
  readonly id: string;
  readonly home: AccountId;
  readonly acceptedAt: number;
  readonly lastGood: Minute;
}

interface Stay {
  readonly fromMs: number;
  /** Minute of admission. */
  readonly minute: Minute;
  /** Account that admitted it. */
  readonly by: AccountId;
  untilMs: number;
  /**
   * Until when accounts hold a slot for it: a stay that was adopted elsewhere has a slot there, and the old one to its
   * end.
   */
  readonly heldToMs: Map<AccountId, number>;
}

export interface Peak {
  readonly count: number;
  /** When, in Unix ms; 0 if nobody ever was. A minute may have begun before the run. */
  readonly atMs: number;
}

export class Stays {
  readonly #options: StaysOptions;
  readonly #stays = new Map<string, Stay>();

  constructor(options: StaysOptions) {
    this.#options = options;
  }

  /** The origin has answered at `atMs`; this cookie's visitor is inside from then on. */
  served({ id, home, acceptedAt, lastGood }: StayCookie, atMs: number): void {
    const { minuteMs, sessionMinutes } = this.#options;
    const untilMs = startOfMinuteMs((lastGood + 1) as Minute, minuteMs);
    // A visitor who is admitted a second time, from the head of the line, has a second stay.
    const key = `${id} ${acceptedAt}`;
    const stay = this.#stays.getOrInsertComputed(key, () => {
      const minute = (lastGood - sessionMinutes) as Minute;
      return { fromMs: atMs, minute, by: home, untilMs, heldToMs: new Map() };
    });
    stay.untilMs = Math.max(untilMs, stay.untilMs);
    stay.heldToMs.set(home, Math.max(untilMs, stay.heldToMs.get(home) ?? 0));
  }

  /** Stays so far. */
  get count(): number {
    return this.#stays.size;
  }

  /** How many are inside at `nowMs`. */
  inside(nowMs: number): number {
    return this.#count(({ fromMs, untilMs }) => fromMs <= nowMs && untilMs > nowMs);
  }

  /** Slots that `home` holds for them at `nowMs`. */
  heldBy(home: AccountId, nowMs: number): number {
    return this.#count(({ heldToMs }) => (heldToMs.get(home) ?? 0) > nowMs);
  }

  /** How many were admitted in `minute`; with `by`, by that account. */
  admitted(minute: Minute, by?: AccountId): number {
    return this.#count((stay) => stay.minute === minute && (by ?? stay.by) === stay.by);
  }

  /** Most that were inside at any moment. */
  peakInside(): Peak {
    const turns = [...this.#stays.values()].flatMap(({ fromMs, untilMs }) => [
      { atMs: fromMs, by: 1 },
      { atMs: Math.max(fromMs, untilMs), by: -1 },
    ]);
    // At one moment, leaving visitors make room for arriving ones.
    turns.sort((one, other) => one.atMs - other.atMs || one.by - other.by);
    let inside = 0;
    let peak: Peak = { count: 0, atMs: 0 };
    for (const { atMs, by } of turns) {
      inside += by;
      if (inside > peak.count) peak = { count: inside, atMs };
    }
    return peak;
  }

  /** Most that were admitted in one minute. */
  peakAdmitted(): Peak {
    const counts = new Map<Minute, number>();
    for (const { minute } of this.#stays.values()) counts.set(minute, (counts.get(minute) ?? 0) + 1);
    let peak: Peak = { count: 0, atMs: 0 };
    for (const [minute, count] of counts)
      if (count > peak.count) peak = { count, atMs: startOfMinuteMs(minute, this.#options.minuteMs) };
    return peak;
  }

  #count(counts: (stay: Stay) => boolean): number {
    return this.#stays.values().reduce((sum, stay) => sum + (counts(stay) ? 1 : 0), 0);
  }
}
