/**
 * A ramp: how fast admissions may grow from cold, such as 500/50/5. That is 500 new users a minute at first, and at
 * most 50 % more every 5 minutes (CT-2), so that an origin has time to scale with its visitors.
 */

export interface Ramp {
  /** New users per minute at the start. */
  readonly start: number;
  /** Growth of a step, in percent of the step before. */
  readonly percent: number;
  /** Length of a step. */
  readonly minutes: number;
}

/** The ramp's level, in its own unit, `minutesPassed` after its start. */
export function rampLevel({ start, percent, minutes }: Ramp, minutesPassed: number): number {
  return start * (1 + percent / 100) ** Math.floor(Math.max(0, minutesPassed) / minutes);
}

/** The ramp as it is written, such as `500/50/5`. */
export function rampText({ start, percent, minutes }: Ramp): string {
  return `${start}/${percent}/${minutes}`;
}

/** The ramp that `rampText` wrote. */
export function rampOf(text: string): Ramp {
  const [start = 0, percent = 0, minutes = 0] = text.split("/").map(Number);
  return { start, percent, minutes };
}
