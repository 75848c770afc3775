/** The draws of one node: who is on the list around the start, and what becomes of a draw whose event is changed. */

import { beforeEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { Outbox } from "../../../mesh/core/wire/outbox.ts";
import { drawIdOf } from "../../../node/admission/draw/draw-seed.ts";
import type { DrawPlan } from "../../../node/admission/draw/room-draws.ts";
import { KEYS_PER_MS } from "../../../node/admission/queue-order.ts";
import type { Notary } from "../../../node/notary.ts";
import { SETTLE_MS } from "../../../node/peer/draw.ts";
import type { DrawMessage } from "../../../node/peer/draw-messages.ts";
import { DRAWS_MAX, Draws } from "../../../node/peer/draws.ts";

const START = 1_800_000_000_000;
const PLAN: DrawPlan = {
  ...{ room: "0vQb1sW3vZlJrE8k", name: "shop", event: "sale", announced: "" },
  ...{ prequeueMs: START - 60_000, startMs: START, endMs: START + 3_600_000 },
};
const NOTARY: Notary = { sign: () => "signed", verify: () => true, digest: (text) => text };
const SELF = "a" as NodeId;
const STEP_MS = 100;

let draws: Draws;
let secrets = 0;
beforeEach(() => {
  draws = new Draws({
    ...{ self: SELF, locality: "sjc", meshId: "mesh", incarnation: 1, notary: NOTARY, restored: new Map() },
    members: { voters: [SELF], isMember: () => true, isAnswering: () => true, rollKeepers: [], others: [] },
    newSecret: () => String(secrets++).padStart(64, "0"),
    outbox: new Outbox<DrawMessage>(),
  });
});

function run(fromMs: number, untilMs: number): void {
  for (let atMs = fromMs; atMs <= untilMs; atMs += STEP_MS) {
    draws.tick({ roomMs: atMs, steadyMs: atMs });
    draws.work({ roomMs: atMs, steadyMs: atMs });
  }
}

const known = (startMs = START) => draws.all.find(({ draw }) => draw.terms.startMs === startMs);

describe("the list of a draw", () => {
  test("has a visitor who joined at the last moment, and whose place came after the start", () => {
    const { key } = draws.follow(PLAN);
    run(START - 5_000, START + 200);
    draws.note(key, START * KEYS_PER_MS - 1, "anna");
    run(START + 300, START + 5_000);
    expect([...(known()?.rolls.ids() ?? [])]).toEqual([drawIdOf("anna")]);
    expect(known()?.draw.outcome?.list.count).toBe(1);
  });

  test("does not grow once it is closed", () => {
    const { key } = draws.follow(PLAN);
    run(START - 5_000, START + 2 * SETTLE_MS);
    draws.note(key, START * KEYS_PER_MS - 1, "bert");
    run(START + 2 * SETTLE_MS, START + 5_000);
    expect(known()?.draw.outcome?.list.count).toBe(0);
    expect([...(known()?.rolls.ids() ?? [])]).toEqual([]);
    // The place stands all the same.
    expect([...draws.entries(key)]).toEqual([[START * KEYS_PER_MS - 1, drawIdOf("bert")]]);
  });
});

describe("the list of a draw that another node has closed", () => {
  test("does not grow here: secrets may be known", () => {
    const other = "b" as NodeId;
    draws = new Draws({
      ...{ self: SELF, locality: "sjc", meshId: "mesh", incarnation: 1, notary: NOTARY, restored: new Map() },
      members: { voters: [other, SELF], isMember: () => true, isAnswering: () => true, rollKeepers: [], others: [] },
      newSecret: () => String(secrets++).padStart(64, "0"),
      outbox: new Outbox<DrawMessage>(),
    });
    const { key } = draws.follow(PLAN);
    run(START - 5_000, START + 200);
    const said = { anteroom: "draw state 1", draw: key, node: other, version: 1, knew: [] };
    const state = { ...said, closed: { count: 0, digest: "0".repeat(64) }, signature: "signed" };
    const now = { roomMs: START + 300, steadyMs: START + 300 };
    draws.hear(other, { kind: "draws", states: [JSON.stringify(state)] }, now);
    draws.note(key, START * KEYS_PER_MS - 1, "anna");
    expect(known()?.draw.closed).toHaveLength(1);
    expect([...(known()?.rolls.ids() ?? [])]).toEqual([]);
  });
});

describe("a draw whose event is changed", () => {
  test("is not made once the event is gone", () => {
    draws.follow(PLAN);
    run(START - 5_000, START + 200);
    draws.leave(PLAN.room);
    run(START + 300, START + 60_000);
    expect(known()?.draw.outcome).toBeUndefined();
    expect(known()?.draw.states.get(SELF)?.text).not.toContain("secret");
  });

  test("is not made once the start is another one, and is made if that is taken back", () => {
    draws.follow(PLAN);
    run(START - 5_000, START - 200);
    draws.follow({ ...PLAN, startMs: START + 10_000 });
    run(START - 100, START + 5_000);
    expect(known()?.draw.outcome).toBeUndefined();
    draws.follow(PLAN);
    run(START + 5_100, START + 20_000);
    expect(known()?.draw.seed).toBeDefined();
    expect(known(START + 10_000)?.draw.seed).toBeUndefined();
  });

  test.each([10_000, -2_000])("has those who joined before its new start, %i ms from the first one", (byMs) => {
    const { key } = draws.follow(PLAN);
    run(START - 8_000, START - 6_000);
    draws.note(key, (START - 7_000) * KEYS_PER_MS, "anna");
    draws.note(key, (START - 1_500) * KEYS_PER_MS, "bert");
    run(START - 6_000, START - 1_000);
    draws.follow({ ...PLAN, startMs: START + byMs });
    run(START - 1_000, START + 20_000);
    expect(known(START + byMs)?.draw.outcome?.list.count).toBe(byMs > 0 ? 2 : 1);
  });

  test("has nobody of an event that was over", () => {
    const { key } = draws.follow(PLAN);
    draws.note(key, (START - 7_000) * KEYS_PER_MS, "anna");
    run(PLAN.endMs - 1_000, PLAN.endMs);
    draws.follow({ ...PLAN, startMs: PLAN.endMs + 10_000, endMs: PLAN.endMs + 20_000 });
    run(PLAN.endMs, PLAN.endMs + 15_000);
    expect(known(PLAN.endMs + 10_000)?.draw.outcome?.list.count).toBe(0);
  });

  test("says whether its room still has it", () => {
    draws.follow(PLAN);
    draws.follow({ ...PLAN, startMs: START - 10_000 });
    const held = draws.all.filter(({ draw }) => draws.isHeld(draw));
    expect(held.map(({ draw }) => draw.terms.startMs)).toEqual([START - 10_000]);
  });
});

test("no draw of a room is forgotten while the room waits for it, however many rooms there are", () => {
  const rooms = Array.from({ length: DRAWS_MAX + 5 }, (_, at) => ({ ...PLAN, room: `room ${at}` }));
  for (const plan of rooms) draws.follow(plan);
  run(START - 1_000, START + 5_000);
  expect(rooms.filter((plan) => draws.follow(plan).seed === undefined)).toEqual([]);
});
