/**
 * A field of text for zod that says what is wrong with it in our own words, with the repair that goes with them.
 */

import { z } from "zod";
import type { Complaint } from "./problem.ts";

/** A text of which `complaintOf` says what is wrong, at most `lengthMax` characters long. */
export function text(complaintOf: (value: string) => Complaint, lengthMax = 2_048) {
  return z
    .string()
    .max(lengthMax)
    .superRefine((value, context) => {
      // Too long is said already, and costs no more than its length.
      if (value.length > lengthMax) return;
      const complaint = complaintOf(value);
      if (complaint === undefined) return;
      context.addIssue({ code: "custom", message: complaint.problem, params: { repair: complaint.repair } });
    });
}
