/**
 * What a gate that is cut off from a majority of the voters means for visitors and slots.
 *
 * It admits and extends sessions until its lease is over, so an active visitor can browse for a session's length more.
 * The others cannot know what it does, so its share is idle for all of that, and for the minute and the grace by which
 * slots are counted.
 */

import { GRACE_MS, scaledMs } from "../../mesh/core/minute.ts";
import type { Settings } from "./settings.ts";

type Times = Pick<Settings, "leaseMs" | "minuteMs">;

export interface CutOffFigures {
  /** Ms for which an active visitor of a cut-off gate can browse. */
  readonly browsesMs: number;
  /** Ms from the removal of a lost node until all of its share is usable again. */
  readonly idleMs: number;
}

export function cutOffFigures({ leaseMs, minuteMs }: Times, sessionMinutes: number): CutOffFigures {
  const browsesMs = leaseMs + sessionMinutes * minuteMs;
  return { browsesMs, idleMs: browsesMs + minuteMs + scaledMs(GRACE_MS, minuteMs) };
}

/** Both figures as a sentence. */
export function cutOffText({ browsesMs, idleMs }: CutOffFigures): string {
  return `An active visitor of a cut-off gate can browse for ${timeText(browsesMs)}, and a lost node's share is idle for up to ${timeText(idleMs)}`;
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
