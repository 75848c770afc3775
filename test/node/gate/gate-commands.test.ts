/** What an origin orders about a session, and what the visitor and the room get of it. */

import { describe, expect, test } from "vitest";
import { fieldsOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const ALL = { ...SHOP, session_duration: 3, enabled_origin_commands: ["revoke", "extend", "complete"] };
const FIXED = { ...ALL, disable_session_renewal: true };
const REMOVED = "__anteroom_shop=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax";

function commands(world: GateWorld): string[] {
  const { counts } = world.room();
  return counts.commands.all().map(({ command, reason, count }) => `${command} ${reason} ${count}`);
}

/** Whether the visitor with this cookie is served in so many minutes. */
async function isInside(world: GateWorld, cookie: string): Promise<boolean> {
  return (await world.outcome({ headers: { Cookie: cookie } })) === "inside";
}

describe("complete", () => {
  test("may leave the cookie, which is good to the end of the minute and no longer", async () => {
    const world = new GateWorld({ rooms: [ALL] });
    const cookie = await world.comeIn();
    const forward = await world.forwarded({ headers: { Cookie: cookie } });
    expect(originAnswers(forward, ["Anteroom-Command", "complete; cookie=keep"])).toEqual([]);
    expect(await isInside(world, cookie)).toBe(true);
    world.nowMs += MINUTE_MS;
    expect(await isInside(world, cookie)).toBe(false);
    expect(world.room().counts.completed).toBe(1);
  });

  test("once, whatever else the answer says; a copy of the session ends nothing twice", async () => {
    const world = new GateWorld({ rooms: [ALL] });
    const cookie = await world.comeIn();
    for (let round = 0; round < 2; round++) {
      const forward = await world.forwarded({ headers: { Cookie: cookie } });
      const order = ["Anteroom-Command", "extend, complete; reason=a", "Anteroom-Command", "revoke"];
      expect(originAnswers(forward, order)).toEqual(["Set-Cookie", REMOVED, "Cache-Control", "private"]);
    }
    expect(commands(world)).toEqual(["complete a 1"]);
    expect(world.room().counts).toMatchObject({ revoked: 0, completed: 1 });
  });
});

describe("extend", () => {
  test("gives a session that is not renewed a new term, which its home knows when the cookie looks over", async () => {
    const world = new GateWorld({ rooms: [FIXED] });
    const cookie = await world.comeIn();
    world.nowMs += 2 * MINUTE_MS;
    const headers = originAnswers(await world.forwarded({ headers: { Cookie: cookie } }), [
      "Anteroom-Command",
      "extend; reason=checkout",
    ]);
    expect(fieldsOf(headers, "Anteroom-Command")).toEqual([]);
    expect(commands(world)).toEqual(["extend checkout 1"]);
    world.nowMs += 2 * MINUTE_MS;
    expect(await isInside(world, cookie)).toBe(true);
    expect(world.room().admission.inside(world.nowMs)).toBe(1);
    world.nowMs += 2 * MINUTE_MS;
    expect(await isInside(world, cookie)).toBe(false);
  });

  test.each([
    ["extend; minutes=1", 3],
    ["extend; minutes=2", 4],
    ["extend; minutes=500", 5],
  ])("by %s never gives more than a whole session, and never takes time away", async (command, lastMinute) => {
    const world = new GateWorld({ rooms: [FIXED] });
    const first = await world.comeIn();
    const startMs = world.nowMs;
    world.nowMs += 2 * MINUTE_MS;
    originAnswers(await world.forwarded({ headers: { Cookie: first } }), ["Anteroom-Command", command]);
    for (let minute = 3; minute <= 6; minute++) {
      world.nowMs = startMs + minute * MINUTE_MS;
      const held = world.room().admission.inside(world.nowMs + 6_000);
      expect([minute, held]).toEqual([minute, minute <= lastMinute ? 1 : 0]);
    }
  });

  test("on the answer to a request that took minutes counts from that answer", async () => {
    const world = new GateWorld({ rooms: [ALL] });
    const cookie = await world.comeIn();
    const forward = await world.forwarded({ headers: { Cookie: cookie } });
    world.nowMs += 2 * MINUTE_MS;
    originAnswers(forward, ["Anteroom-Command", "extend"]);
    world.nowMs += 3 * MINUTE_MS;
    expect(await isInside(world, cookie)).toBe(true);
  });

  test("of a session that ended before does nothing", async () => {
    const world = new GateWorld({ rooms: [FIXED] });
    const cookie = await world.comeIn();
    const late = await world.forwarded({ headers: { Cookie: cookie } });
    originAnswers(await world.forwarded({ headers: { Cookie: cookie } }), ["Anteroom-Command", "revoke"]);
    expect(originAnswers(late, ["Anteroom-Command", "extend"])).toEqual([]);
    expect(world.room().counts.commands.ignored["no-answer"]).toBe(1);
  });
});

describe("a command that is not obeyed", () => {
  test("is counted and logged, within a budget, and never shown", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, enabled_origin_commands: ["complete"] }] });
    const cookie = await world.comeIn();
    for (let count = 0; count < 100; count++) {
      const forward = await world.forwarded({ headers: { Cookie: cookie } });
      expect(originAnswers(forward, ["Anteroom-Command", "revoke, ban; x=1, extend"])).toEqual([]);
    }
    const { ignored } = world.room().counts.commands;
    expect(ignored).toMatchObject({ unknown: 100, "not-enabled": 200, malformed: 0, "no-session": 0 });
    const lines = world.logged.filter(({ message }) => message === "a command of the origin is not obeyed");
    expect(lines.length).toBe(20);
    expect(lines[0]?.fields).toEqual({ room: "shop", command: "ban; x=1", why: "unknown" });
    expect(await isInside(world, cookie)).toBe(true);
  });

  test("counts few reasons, whatever an origin writes", async () => {
    const world = new GateWorld({ rooms: [{ ...ALL, total_active_users: 100, new_users_per_minute: 100 }] });
    for (let order = 0; order < 40; order++) {
      const forward = await world.forwarded({ headers: { Cookie: await world.comeIn() } });
      originAnswers(forward, ["Anteroom-Command", `complete; reason=order-${order}`]);
    }
    const counted = world.room().counts.commands.all();
    expect(counted).toHaveLength(17);
    expect(counted.at(-1)).toEqual({ command: "complete", reason: "other", count: 24 });
  });
});
