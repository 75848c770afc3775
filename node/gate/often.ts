/**
 * What comes again and again under one name, such as an address or a host: it is said once in the log, and in the
 * status for as long as it goes on.
 *
 * Names are counted in spans of ten minutes. A span begins with the first request, or look at the status, after the one
 * before; what a span has found is reported until the next one ends. Nobody is refused: the operator decides that.
 */

import type { Log } from "../log.ts";

export interface OftenOptions {
  readonly log: Log;
  /** What the name is in the log, such as `address`. */
  readonly field: string;
  /** How often in a span is worth a warning. */
  readonly min: number;
  /** Makes the warning about some of those that were found. */
  readonly words: (found: string) => string;
}

/** Halved, what comes every minute is not noticed; doubled, a warning stays on for longer after the repair. */
const SPAN_MS = 600_000;

/** Names that are counted in a span; in a rush, later ones are not. A warning has the first of those found. */
const NAMES_MAX = 1_000;
const SAID_MAX = 4;

interface Seen {
  /** The room in question, if there is one. */
  readonly room: string | undefined;
  times: number;
  isFine: boolean;
}

export class Often {
  readonly #options: OftenOptions;
  #seen = new Map<string, Seen>();
  #before: readonly [string, Seen][] = [];
  #startMs = Number.NEGATIVE_INFINITY;

  constructor(options: OftenOptions) {
    this.#options = options;
  }

  /** A name comes once more. */
  note(name: string, nowMs: number, room?: string): void {
    this.#turn(nowMs);
    let seen = this.#seen.get(name);
    if (seen === undefined) {
      if (this.#seen.size >= NAMES_MAX) return;
      seen = { room, times: 0, isFine: false };
      // A copy: the name may be a part of the request's head, which would otherwise stay in memory.
      this.#seen.set(Buffer.from(name, "latin1").toString("latin1"), seen);
    }
    seen.times += 1;
    const { log, field, min } = this.#options;
    if (seen.times !== min || seen.isFine || this.#before.some(([known]) => known === name)) return;
    log.warn({ [field]: name, ...(room !== undefined && { room }) }, this.#words([[name, seen]]));
  }

  /** A name is no reason to warn, as long as the span lasts. */
  clear(name: string): void {
    const seen = this.#seen.get(name);
    if (seen !== undefined) seen.isFine = true;
  }

  /** The warning for the status; none while there is nothing to report. */
  warnings(nowMs: number): string[] {
    this.#turn(nowMs);
    const found = new Map([...this.#before, ...this.#found()]);
    return found.size === 0 ? [] : [this.#words([...found].slice(0, SAID_MAX))];
  }

  #turn(nowMs: number): void {
    if (nowMs >= this.#startMs && nowMs < this.#startMs + SPAN_MS) return;
    this.#before = nowMs < this.#startMs + 2 * SPAN_MS ? this.#found() : [];
    this.#seen = new Map();
    this.#startMs = nowMs;
  }

  #found(): [string, Seen][] {
    return [...this.#seen].filter(([, { times, isFine }]) => times >= this.#options.min && !isFine);
  }

  #words(found: readonly (readonly [string, Seen])[]): string {
    const which = found.map(
      ([name, { times, room }]) => `${name || "no host"} (${times}${room === undefined ? "" : ` in room ${room}`})`,
    );
    return this.#options.words(which.join(", "));
  }
}

/**
 * Addresses that keep taking slots or places and never send a cookie back: health checks, monitors, scripts. Each of
 * their requests is a new visitor, and holds a slot for a whole session. Visitors who share an address do send cookies,
 * and clear it. A check comes every minute; a person whose browser keeps no cookies gives up before ten.
 */
export function slotTakers(log: Log): Often {
  return new Often({
    log,
    field: "address",
    min: 10,
    words: (which) =>
      `within ten minutes these addresses took slots or places again and again, and never sent a cookie back: ${which}; ` +
      "if it is a health check or a monitor, let it ask /.anteroom/health, which is never a visit; otherwise bypass_cidrs or new_places_per_address_per_minute of the room help",
  });
}

/**
 * Hosts that no room names, and whose requests pass to the origin without a limit: then the rooms may limit nobody. It
 * happens where a proxy in front replaces `Host`. Scanners ask each address a few times in an hour; a shop behind a wrong
 * proxy comes to a hundred in its first minutes.
 */
export function unmatchedHosts(log: Log): Often {
  return new Often({
    log,
    field: "host",
    min: 100,
    words: (which) =>
      `requests within ten minutes were for hosts that no room names, and passed without a limit: ${which}; ` +
      "if a proxy in front replaces Host, let it keep it, or send X-Forwarded-Host and be named in --trusted-proxies; " +
      'otherwise give a room host "*", or name origins in the rooms alone, without --origin',
  });
}
