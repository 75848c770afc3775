/** Who is on the list of a draw at one node: around the start, after a restart, and when its event is changed. */

import { beforeEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import { drawIdOf } from "../../../node/admission/draw/draw-seed.ts";
import type { DrawPlan } from "../../../node/admission/draw/room-draws.ts";
import { KEYS_PER_MS } from "../../../node/admission/queue-order.ts";
import type { DrawMessage } from "../../../node/peer/draw-messages.ts";
import { CLOSE_MS, Draws, LATE_CLOSE_MS } from "../../../node/peer/draws.ts";

const START = 1_800_000_000_000;
const KEY = "a".repeat(24);
const PLAN: DrawPlan = { key: KEY, room: "0vQb1sW3vZlJrE8k", startMs: START, endMs: START + 3_600_000 };
const STEP_MS = 100;
/** The digest takes some steps. */
const CLOSED_MS = CLOSE_MS + 1_000;

let disk: Map<string, unknown>;
let outbox: Outbox<DrawMessage>;
let draws: Draws;
let isVoter = true;
beforeEach(() => {
  disk = new Map();
  isVoter = true;
  open();
});

/** A process begins with what is on the disk. */
function open(): void {
  outbox = new Outbox<DrawMessage>();
  const members = {
    get isVoter() {
      return isVoter;
    },
    rollKeepers: ["b" as NodeId],
  };
  draws = new Draws({ locality: "sjc", members, outbox, restored: new Map(disk) });
}

function run(fromMs: number, untilMs: number): void {
  for (let atMs = fromMs; atMs <= untilMs; atMs += STEP_MS) {
    draws.tick({ roomMs: atMs, steadyMs: atMs });
    draws.work();
    for (const [key, value] of outbox.take().writes)
      if (value === undefined) disk.delete(key);
      else disk.set(key, value);
  }
}

const listed = (key = KEY) => [...Iterator.from(draws.idsOf(key))];
const roll = (key: number, id: string): DrawMessage => ({
  ...{ kind: "roll", draw: KEY, line: "lon", keys: [key], ids: [drawIdOf(id)] },
});

describe("the list of a draw", () => {
  test("has a visitor who joined at the last moment, and whose place came after the start", () => {
    draws.follow(PLAN);
    run(START - 5_000, START + 200);
    draws.note(KEY, START * KEYS_PER_MS - 1, "anna");
    run(START + 300, START + CLOSED_MS);
    expect(listed()).toEqual([drawIdOf("anna")]);
    expect(draws.listOf(KEY)?.count).toBe(1);
  });

  test("does not grow once it is closed", () => {
    draws.follow(PLAN);
    run(START - 5_000, START + CLOSED_MS);
    draws.note(KEY, START * KEYS_PER_MS - 1, "bert");
    draws.hear("b" as NodeId, roll(START * KEYS_PER_MS - 2, "carl"));
    run(START + CLOSED_MS, START + CLOSED_MS + 5_000);
    expect(draws.listOf(KEY)?.count).toBe(0);
    expect(listed()).toEqual([]);
    // The place stands all the same.
    expect([...draws.entries(KEY)]).toEqual([[START * KEYS_PER_MS - 1, drawIdOf("bert")]]);
  });

  test("is closed later where the node was not there at the start, with what it heard by then", () => {
    draws.follow(PLAN);
    run(START + 10_000, START + 9_000 + LATE_CLOSE_MS);
    draws.hear("b" as NodeId, roll(START * KEYS_PER_MS - 2, "carl"));
    expect(draws.listOf(KEY)).toBeUndefined();
    run(START + 9_000 + LATE_CLOSE_MS, START + 11_000 + LATE_CLOSE_MS);
    expect(draws.listOf(KEY)?.count).toBe(1);
  });
});

describe("a draw whose event is changed", () => {
  const MOVED = "b".repeat(24);

  test.each([10_000, -2_000])("has those who joined before its new start, %i ms from the first one", (byMs) => {
    draws.follow(PLAN);
    run(START - 8_000, START - 6_000);
    draws.note(KEY, (START - 7_000) * KEYS_PER_MS, "anna");
    draws.note(KEY, (START - 1_500) * KEYS_PER_MS, "bert");
    run(START - 6_000, START - 3_000);
    draws.follow({ ...PLAN, key: MOVED, startMs: START + byMs });
    run(START - 3_000, START + 10_000 + CLOSED_MS);
    expect(draws.listOf(MOVED)?.count).toBe(byMs > 0 ? 2 : 1);
  });

  test("has nobody of an event that was over", () => {
    draws.follow(PLAN);
    draws.note(KEY, (START - 7_000) * KEYS_PER_MS, "anna");
    run(PLAN.endMs - 1_000, PLAN.endMs);
    draws.follow({ ...PLAN, key: MOVED, startMs: PLAN.endMs + 10_000, endMs: PLAN.endMs + 20_000 });
    run(PLAN.endMs, PLAN.endMs + 10_000 + CLOSED_MS);
    expect(draws.listOf(MOVED)?.count).toBe(0);
  });

  test("leaves nothing on the disk, also where it went while the node was down", () => {
    draws.follow(PLAN);
    draws.note(KEY, (START - 7_000) * KEYS_PER_MS, "anna");
    run(START - 5_000, START + CLOSED_MS);
    expect(disk.size).toBeGreaterThan(1);
    const before = new Map(disk);
    draws.leave(PLAN.room);
    run(START + CLOSED_MS, START + CLOSED_MS);
    expect(disk.size).toBe(0);
    disk = before;
    open();
    run(START + CLOSED_MS, START + CLOSED_MS + 2 * LATE_CLOSE_MS);
    expect(disk.size).toBe(0);
  });
});
