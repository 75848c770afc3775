/**
 * The commands of an origin about sessions, by command and reason, for metrics.
 *
 * Reasons are the origin's own words. A room counts the first ones apart and all others as `other`, so that an origin
 * which puts an order's number there does not fill a metrics store.
 */

import type { OriginCommandName } from "../config/room.ts";

/** Reasons of a room that are counted apart: each is a time series at each node. */
export const REASONS_MAX = 16;
export const REASON_CHARS_MAX = 32;

/** The label of commands without a reason, and of those beyond the limit. */
const NONE = "none";
const OTHER = "other";

/**
 * Why a command was not obeyed. `no-session`: the request has none. `no-answer`: the session's home did not extend it.
 */
export const IGNORED_COMMANDS = ["unknown", "malformed", "not-enabled", "no-session", "no-answer"] as const;
export type IgnoredCommand = (typeof IGNORED_COMMANDS)[number];

export interface CommandCount {
  readonly command: OriginCommandName;
  readonly reason: string;
  count: number;
}

export class CommandCounts {
  readonly #reasons = new Set<string>();
  readonly #counts = new Map<string, CommandCount>();
  readonly ignored: Record<IgnoredCommand, number> = {
    unknown: 0,
    malformed: 0,
    "not-enabled": 0,
    "no-session": 0,
    "no-answer": 0,
  };

  note(command: OriginCommandName, reason: string = NONE): void {
    const label = this.#label(reason);
    this.#counts.getOrInsertComputed(`${command} ${label}`, () => ({ command, reason: label, count: 0 })).count += 1;
  }

  all(): readonly CommandCount[] {
    return [...this.#counts.values()];
  }

  #label(reason: string): string {
    if (reason === NONE || reason === OTHER || this.#reasons.has(reason)) return reason;
    if (this.#reasons.size >= REASONS_MAX) return OTHER;
    this.#reasons.add(reason);
    return reason;
  }
}
