/** Where a simulated node keeps minutes: in memory, and not on the disk whose faults are drawn. */

import { HistoryStore } from "../../node/storage/history-store.ts";

export function newHistory(minuteMs: number): HistoryStore {
  return new HistoryStore({ path: ":memory:", meshId: "sim", minuteMs, onTrouble: () => {} });
}
