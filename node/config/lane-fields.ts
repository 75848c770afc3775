/** The lanes of a room document: which part of the slots each lane of a pass gets (node/admission/lanes.ts). */

import { z } from "zod";

/** Lanes that a pass can name: 1 to 9. A visitor without one is in lane 0, which has the rest. */
export const LANE_MAX = 9;

/** Visitors without a lane never starve: this part of the slots, in percent, is left for them at least. */
export const REST_MIN = 5;

const share = z
  .int()
  .min(1)
  .max(100 - REST_MIN);

const NAMES = Array.from({ length: LANE_MAX }, (_, index) => String(index + 1));

export const LANES = z
  .record(z.string(), share)
  .superRefine((lanes, context) => {
    for (const name of Object.keys(lanes)) {
      if (NAMES.includes(name)) continue;
      context.addIssue({ code: "custom", path: [name], message: "is not a lane" });
    }
    const sum = Object.values(lanes).reduce((all, each) => all + each, 0);
    if (sum <= 100 - REST_MIN) return;
    const message = `adds up to ${sum} %, which leaves less than ${REST_MIN} % for visitors without a lane`;
    context.addIssue({ code: "custom", message });
  })
  .nullable()
  .default(null);

/** Shares by lane, at 0 the rest; empty without lanes. */
export function lanesOf(document: z.output<typeof LANES>): readonly number[] {
  const shares = NAMES.map((name) => document?.[name] ?? 0);
  const sum = shares.reduce((all, each) => all + each, 0);
  return sum === 0 ? [] : [100 - sum, ...shares];
}

export function lanesDocument(shares: readonly number[]): z.output<typeof LANES> {
  const lanes = shares.flatMap((share, lane) => (lane > 0 && share > 0 ? [[String(lane), share] as const] : []));
  return lanes.length === 0 ? null : Object.fromEntries(lanes);
}
