import { beforeEach, describe, expect, test } from "vitest";
import { GateWorld } from "../../node/gate/gate-world.ts";
import { startNode } from "../admin-node.ts";
import type { FakeOptions } from "../fake-io.ts";

const TIMES = "event_start_time=2036-11-27T10:00:00Z event_end_time=2036-11-27T12:00:00+01:00";

let node: ReturnType<typeof startNode>;
beforeEach(() => {
  node = startNode(new GateWorld());
});

const event = (line: string, options?: FakeOptions) => node.run(`event ${line}`, options);

describe("anteroom event", () => {
  test("create, list, update and delete say what there is after them", async () => {
    expect(await event(`create shop name=sale ${TIMES}`)).toEqual({
      exit: 0,
      answer:
        "Created event sale of room shop: upcoming, from 2036-11-27T10:00:00.000Z to 2036-11-27T11:00:00.000Z, limits of the room.\n",
      talk: "",
    });
    expect((await event("list shop")).answer).toContain("sale");
    expect(JSON.parse((await event("list shop --json")).answer).events).toMatchObject([{ name: "sale" }]);
    const updated = await event(
      "update shop sale total_active_users=50 new_users_per_minute=5 prequeue_start_time=2036-11-27T09:30:00Z shuffle_at_event_start=true",
    );
    expect(updated.answer).toContain("pre-queue from 2036-11-27T09:30:00.000Z, shuffled at the start");
    expect(updated.answer).toContain("50 inside, 5 per minute");
    expect((await event("update shop sale total_active_users=null new_users_per_minute=null")).answer).toContain(
      "limits of the room",
    );
    expect((await event("delete shop sale")).answer).toBe("Deleted event sale of room shop: nothing else changes.\n");
    expect((await event("list shop")).talk).toContain("No events in room shop yet");
  });
});
