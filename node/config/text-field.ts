/**
 * A text field for zod that reports problems in our own words, with their repair.
 */

import { z } from "zod";
import type { Complaint } from "./problem.ts";

/** A text for which `complaintOf` says what is wrong, at most `lengthMax` characters long. */
export function text(complaintOf: (value: string) => Complaint, lengthMax = 2_048) {
  return z
    .string()
    .max(lengthMax)
    .superRefine((value, context) => {
      // The length is reported already, and checking costs no more than that length.
      if (value.length > lengthMax) return;
      const complaint = complaintOf(value);
      if (complaint === undefined) return;
      context.addIssue({ code: "custom", message: complaint.problem, params: { repair: complaint.repair } });
    });
}
