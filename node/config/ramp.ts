/**
 * A ramp: how fast admissions may grow from cold, such as 500/s/50/5. That is 500 new users a second at first, and at
 * most 50 % more every 5 minutes (CT-2), so that an origin has time to scale with its visitors.
 */

export interface Ramp {
  /** New users per `unit` at the start. */
  readonly start: number;
  readonly unit: keyof typeof PER_MINUTE;
  /** Growth of a step, in percent of the step before. */
  readonly percent: number;
  /** Length of a step. */
  readonly minutes: number;
}

/** How many of a unit are in a minute. */
export const PER_MINUTE = { s: 60, min: 1 } as const;

/** What has grown from `start` in steps, `minutesPassed` after the first one. */
export function grown({ start, percent, minutes }: Omit<Ramp, "unit">, minutesPassed: number): number {
  return start * (1 + percent / 100) ** Math.floor(Math.max(0, minutesPassed) / minutes);
}

/** The new users per minute that the ramp allows, `minutesPassed` after its start. */
export function rampLevel(ramp: Ramp, minutesPassed: number): number {
  return grown(ramp, minutesPassed) * PER_MINUTE[ramp.unit];
}

/** The ramp as it is written, such as `500/s/50/5`. */
export function rampText({ start, unit, percent, minutes }: Ramp): string {
  return `${start}/${unit}/${percent}/${minutes}`;
}

/** The ramp that `rampText` wrote. */
export function rampOf(text: string): Ramp {
  const [start, unit, percent, minutes] = text.split("/");
  return { start: Number(start), unit: unit === "s" ? "s" : "min", percent: Number(percent), minutes: Number(minutes) };
}
