/** How many bytes a minute of a room takes in `history.db`: a busy room, where waits fall into many classes. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { MinuteRecord } from "../../node/history/minute-record.ts";
import { HistoryStore } from "../../node/storage/history-store.ts";

const MINUTES = 24 * 60;
const WAITS = [40, 41, 42, 43, 44, 45, 46];

const directory = mkdtempSync(join(tmpdir(), "history-size-"));
try {
  const path = join(directory, "history.db");
  const store = new HistoryStore({ path, meshId: "mesh", minuteMs: 60_000, onTrouble: console.error });
  const startedMs = performance.now();
  for (let day = 0; day < 30; day++) {
    const since = (29_000_000 + day * MINUTES) as Minute;
    const records = Array.from({ length: MINUTES }, (_, at) => busyMinute((since + at) as Minute));
    const source = { node: "12D3KooWEvx4", run: day, locality: "eu", since, end: "open" } as const;
    const until = (since + MINUTES) as Minute;
    store.take(
      [{ ...source, node: source.node as NodeId, first: 1, from: 1, next: MINUTES + 1, until, records }],
      since,
    );
  }
  const tookMs = performance.now() - startedMs;
  store.close();
  const { size } = statSync(path);
  const each = size / store.records;
  console.log(
    `${store.records} records: ${size} bytes, ${each.toFixed(1)} each, ${Math.round((each * MINUTES) / 1_000)} kB a day`,
  );
  console.log(`written in ${((1_000 * tookMs) / store.records).toFixed(1)} µs each`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function busyMinute(minute: Minute): MinuteRecord {
  const counts = [60, 54_000 + (minute % 977), 31_000 + (minute % 631), 900, 120, 140, 3, 1, 0, 2, 12, 4];
  const waits = WAITS.flatMap((waitClass) => [waitClass, 17 + (minute % 5)]);
  return { room: "8ecb307835674bf9" as RoomId, name: "shop", minute, counts, waits, held: [5, 12_004] };
}
