/** The field of a room that tells visitors when it is their turn who have put the page away. */

import { z } from "zod";

/** What a visitor may leave. */
export const CONTACT_KINDS = ["email", "phone", "push"] as const;
export type ContactKind = (typeof CONTACT_KINDS)[number];

/**
 * For so long the slot of a visitor who was called may be idle. A ticket counter remembers for as long where it has sent
 * a visitor; doubled, one who comes late at another gate would be in line again.
 */
export const GRACE_MINUTES_MAX = 10;
const GRACE_MINUTES = 5;

export const NOTIFY = z
  .strictObject({
    by: z
      .array(z.enum(CONTACT_KINDS, "is not email, phone or push"))
      .min(1)
      .max(CONTACT_KINDS.length)
      .refine((kinds) => new Set(kinds).size === kinds.length, "has a kind twice")
      .describe("what visitors may leave: email, phone; push: the browser is told"),
    grace_minutes: z
      .int()
      .min(1)
      .max(GRACE_MINUTES_MAX)
      .default(GRACE_MINUTES)
      .describe("minutes for which the turn of such a visitor is kept, at most a session"),
  })
  .nullable()
  .default(null);
