/** The numbers of a record, as the history's file has them. */

import { unpacked } from "../../mesh/core/wire/packed.ts";
import type { MinuteRecord } from "../history/minute-record.ts";

/** Undefined for what is damaged. */
export function numbersIn(value: Uint8Array): Pick<MinuteRecord, "counts" | "waits" | "held"> | undefined {
  const [lists] = unpacked(value) ?? [];
  if (!Array.isArray(lists)) return undefined;
  const [counts, waits, held] = lists;
  return [counts, waits, held].every(isNumbers) ? { counts, waits, held } : undefined;
}

function isNumbers(list: unknown): list is readonly number[] {
  return Array.isArray(list) && list.every((item) => Number.isSafeInteger(item) && item >= 0);
}
