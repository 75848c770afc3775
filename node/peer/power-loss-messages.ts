/**
 * Messages about gifts that a disk may have lost: see power-loss.ts.
 */

import { z } from "zod";
import { ACCOUNTS_MAX, listOf, rowData } from "../../mesh/core/wire/shapes.ts";

export const POWER_LOSS_SHAPES = {
  "gifts-wanted": z.object({ kind: z.literal("gifts-wanted") }),
  gifts: z.object({ kind: z.literal("gifts"), rows: listOf(rowData, ACCOUNTS_MAX) }),
};

export type PowerLossMessage = z.output<(typeof POWER_LOSS_SHAPES)[keyof typeof POWER_LOSS_SHAPES]>;
