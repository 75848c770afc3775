/**
 * What an island time gains and what it costs.
 *
 * A gate that is cut off from a majority of the voters extends its sessions for lease + island time, so an active
 * visitor can browse for a session's length more. The others cannot know what it does, so its share is idle for all of
 * that, and for the minute and the grace by which slots are counted. A longer island time lengthens both by as much.
 */

import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import type { Room } from "./room.ts";
import type { Settings } from "./settings.ts";

type Times = Pick<Settings, "leaseMs" | "islandMs" | "minuteMs">;

export interface IslandFigures {
  /** Ms for which an active visitor of a cut-off gate can browse. */
  readonly browsesMs: number;
  /** Ms from the removal of a lost node until all of its share is usable again. */
  readonly idleMs: number;
}

/** Ms after which a session of `minutes` must be over that may be extended for `awayMs` more. */
export function overMs(awayMs: number, minutes: number, minuteMs: number): number {
  return awayMs + (minutes + 1) * minuteMs + scaledMs(GRACE_MS, minuteMs);
}

export function islandFigures({ leaseMs, islandMs, minuteMs }: Times, sessionMinutes: number): IslandFigures {
  const awayMs = leaseMs + islandMs;
  return { browsesMs: awayMs + sessionMinutes * minuteMs, idleMs: overMs(awayMs, sessionMinutes, minuteMs) };
}

/** Both figures as a sentence. */
export function islandText(times: Times, sessionMinutes: number): string {
  const { browsesMs, idleMs } = islandFigures(times, sessionMinutes);
  return `Island time ${timeText(times.islandMs)}: an active visitor of a cut-off gate can browse for ${timeText(browsesMs)}, and a lost node's share is idle for up to ${timeText(idleMs)}`;
}

/** An island time that is out of proportion to the sessions of the rooms, with both figures and another one. */
export function islandWarnings(times: Times, rooms: readonly Room[]): string[] {
  const [room] = rooms.toSorted((one, other) => other.sessionDuration - one.sessionDuration);
  if (room === undefined) return [];
  const { islandMs, minuteMs } = times;
  const { sessionDuration } = room;
  const at = (ms: number) => islandFigures({ ...times, islandMs: ms }, sessionDuration);
  const longMs = Math.max(2, sessionDuration) * minuteMs;
  const lasting = `room ${room.name}, whose sessions last ${timeText(sessionDuration * minuteMs)}`;
  if (islandMs > longMs) {
    return [
      `--island ${timeText(islandMs)} is long for ${lasting}: a lost node's share is idle for up to ${timeText(at(islandMs).idleMs)}, with --island ${timeText(longMs)} for ${timeText(at(longMs).idleMs)}; an active visitor of a cut-off gate can browse for ${timeText(at(islandMs).browsesMs)} and ${timeText(at(longMs).browsesMs)}`,
    ];
  }
  // Sessions are extended once a minute.
  if (islandMs >= minuteMs) return [];
  return [
    `--island ${timeText(islandMs)} is short for ${lasting}: sessions are extended once a minute, so a cut-off gate hardly extends any, and its visitors lose their sessions after ${timeText(at(islandMs).browsesMs)}; with --island ${timeText(2 * minuteMs)} after ${timeText(at(2 * minuteMs).browsesMs)}, and a lost node's share is idle for up to ${timeText(at(2 * minuteMs).idleMs)} instead of ${timeText(at(islandMs).idleMs)}`,
  ];
}

/** `90 s` as `1 min 30 s`. */
export function timeText(ms: number): string {
  const all = Math.round(ms / 1_000);
  const [hours, minutes, seconds] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60, all % 60];
  if (ms < 1_000) return `${ms === 0 ? 0 : Math.round(ms)} ${ms === 0 ? "s" : "ms"}`;
  const parts = [
    [hours, "h"],
    [minutes, "min"],
    [seconds, "s"],
  ] as const;
  return parts.flatMap(([amount, unit]) => (amount > 0 ? [`${amount} ${unit}`] : [])).join(" ");
}
