/**
 * The demo's live table: one line every few seconds, so that the whole spike stays readable on any terminal or in a
 * file.
 */

import type { RoomStatus } from "../../node/operator/status/status.ts";
import { number, span, styled, type TableOptions } from "../print.ts";

export interface Moment {
  /** Since the start of the run. */
  readonly seconds: number;
  readonly came: number;
  readonly room: Pick<
    RoomStatus,
    "inside" | "total_active_users" | "admitted_this_minute" | "new_users_per_minute" | "waiting" | "wait_seconds"
  >;
}

const TITLES = ["TIME", "CAME", "INSIDE / LIMIT", "THIS MIN / LIMIT", "WAITING", "WAIT"] as const;
const BAR_WIDTH = 14;

export function timelineHeading(): string {
  return row(TITLES);
}

/** A line for something that happened. */
export function timelineEvent(seconds: number, text: string): string {
  return `${row([timeOf(seconds)])}  ${text}`;
}

export function timelineRow({ seconds, came, room }: Moment, { color }: TableOptions): string {
  const cells = row([
    timeOf(seconds),
    number(came),
    `${number(room.inside)} / ${number(room.total_active_users)}`,
    `${number(room.admitted_this_minute)} / ${number(room.new_users_per_minute)}`,
    number(room.waiting),
    waitText(room),
  ]);
  // What a node has heard of others may be a second old, and be above the limit.
  const filled = Math.min(BAR_WIDTH, Math.round((BAR_WIDTH * room.inside) / room.total_active_users));
  const bar = "█".repeat(filled) + styled("░".repeat(BAR_WIDTH - filled), "dim", color);
  return `${cells}  ${room.waiting > 0 ? styled(bar, "yellow", color) : bar}`;
}

/** The wait of the next visitor to come; a dash where visitors wait and the wait is unknown. */
function waitText({ waiting, wait_seconds }: Moment["room"]): string {
  if (waiting === 0) return "none";
  return wait_seconds === null ? "–" : span(wait_seconds);
}

/** Minutes and seconds of a run. */
export function timeOf(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(Math.max(6, TITLES[index]?.length ?? 0))).join("  ");
}
