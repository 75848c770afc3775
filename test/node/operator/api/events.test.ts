import { beforeEach, describe, expect, test } from "vitest";
import type { Problem } from "../../../../node/config/problem.ts";
import { type GateWorld, MINUTE_MS, START_MS } from "../../gate/gate-world.ts";
import { adminWorld } from "../admin-world.ts";

const SALE = {
  name: "sale",
  event_start_time: new Date(START_MS + 60 * MINUTE_MS).toISOString(),
  event_end_time: new Date(START_MS + 120 * MINUTE_MS).toISOString(),
};

let world: GateWorld;
let ask: ReturnType<typeof adminWorld>["ask"];
beforeEach(() => {
  ({ world, ask } = adminWorld());
});

interface Answered {
  readonly events: readonly { readonly name: string; readonly phase: string }[];
  readonly problems: readonly Problem[];
}

async function call(method: string, path: string, body?: object) {
  const answer = await ask(method, `/v1/rooms/shop/events${path}`, body);
  const read: Answered = JSON.parse(await answer.text());
  return { status: answer.status, body: read };
}

describe("the events of a room", () => {
  test("are part of their room, and stay when another change leaves them out", async () => {
    await call("POST", "", SALE);
    expect(world.room().declared.events).toHaveLength(1);
    world.rooms.update("shop", { total_active_users: 7 });
    world.rooms.apply([{ ...world.room().declared, events: undefined, description: "from a file" }]);
    expect(world.room().declared).toMatchObject({ description: "from a file", events: [{ name: "sale" }] });
    world.rooms.apply([{ ...world.room().declared, events: [] }]);
    expect(world.room().declared.events).toEqual([]);
  });

  test("that overlap change nothing, and the problem is named as that of the event", async () => {
    await call("POST", "", SALE);
    const before = world.room().declared;
    const overlapping = await call("POST", "", { ...SALE, name: "second" });
    expect(overlapping.body.problems).toEqual([
      expect.objectContaining({
        path: "event_start_time",
        problem: expect.stringContaining("is before the end of event sale:"),
        repair: expect.stringContaining("move one of them"),
      }),
    ]);
    const earlier = { ...SALE, name: "second", event_start_time: new Date(START_MS).toISOString() };
    expect((await call("POST", "", earlier)).body.problems).toMatchObject([{ path: "event sale.event_start_time" }]);
    expect(world.room().declared).toBe(before);
  });

  test("that do not exist, or exist already, are refused by name", async () => {
    await call("POST", "", SALE);
    expect(await call("POST", "", SALE)).toMatchObject({ status: 409, body: { code: "exists" } });
    for (const method of ["GET", "DELETE"])
      expect(await call(method, "/gone")).toMatchObject({
        status: 404,
        body: { detail: expect.stringContaining("its events are sale") },
      });
    expect((await call("PATCH", "/gone", {})).status).toBe(404);
    expect((await call("POST", "", [SALE])).status).toBe(422);
    expect((await ask("GET", "/v1/rooms/nowhere/events")).status).toBe(404);
  });
});
