/** Several origins behind a room: who goes where and stays there, and what is sent again. */

import { describe, expect, test } from "vitest";
import { cookieIn, originAnswers, originFails } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const HTML = { Accept: "text/html" };
const REFUSED = { kind: "unreachable", detail: "connection refused" } as const;

/** A room with origins of these names. */
function worldOf(...names: string[]): GateWorld {
  const origin = names.map((name) => ({ url: `http://${name}`, weight: 1 }));
  const limits = { total_active_users: 1_000, new_users_per_minute: 1_000, session_duration: 5 };
  return new GateWorld({ rooms: [{ ...SHOP, ...limits, origin }] });
}

/** Where a visitor goes, and the cookie to come back with. */
async function visit(world: GateWorld, cookie = "") {
  const forward = await world.forwarded({ headers: { ...HTML, ...(cookie !== "" && { Cookie: cookie }) } });
  return { at: forward.plan.origin.hostname, cookie: cookieIn(originAnswers(forward)) || cookie };
}

/** Everything that the observer hears of the origin from now on, in order. */
function heardIn(world: GateWorld): string[] {
  const heard: string[] = [];
  const hear = (what: string) => () => heard.push(what);
  const observer = { sent: hear("sent"), failed: hear("failed"), withdrawn: hear("withdrawn") };
  Object.assign(world.room(), { observer: { ...observer, answered: hear("answered"), reachable: () => undefined } });
  return heard;
}

describe("sessions", () => {
  test("move when their target is down, all requests to the same; the cookie follows when next written", async () => {
    const world = worldOf("a", "b", "c");
    let first = await visit(world);
    while (first.at !== "a") first = await visit(world);
    const target = world.room().origin.all[0];
    for (let probe = 0; probe < 3; probe++) target?.health.probed("refused", world.nowMs);
    const { at: other } = await visit(world, first.cookie);
    expect(["b", "c"]).toContain(other);
    expect((await visit(world, first.cookie)).at).toBe(other);
    world.nowMs += MINUTE_MS;
    const written = await visit(world, first.cookie);
    expect(written.at).toBe(other);
    for (let probe = 0; probe < 2; probe++) target?.health.probed(undefined, world.nowMs);
    expect([await visit(world, first.cookie), await visit(world, written.cookie)]).toMatchObject([
      { at: "a" },
      { at: other },
    ]);
  });

  test("of a room with one origin have no target in their cookie", async () => {
    const world = worldOf("a");
    const cookie = world.opened((await visit(world)).cookie);
    expect([cookie.kind, "target" in cookie]).toEqual(["inside", false]);
  });

  test("requests without one go by their address, always the same way", async () => {
    const world = worldOf("a", "b");
    world.rooms.update("shop", { suspended: true });
    const places = await Promise.all(Array.from({ length: 10 }, () => visit(world)));
    expect(new Set(places.map(({ at }) => at)).size).toBe(1);
  });
});

describe("a request without an answer", () => {
  test("is sent again to another target", async () => {
    const world = worldOf("a", "b");
    const heard = heardIn(world);
    const { plan } = await world.forwarded();
    const again = plan.retry?.(REFUSED)?.hostname;
    expect([plan.origin.hostname, again].toSorted()).toEqual(["a", "b"]);
    plan.onResponse({ status: 200, reason: "OK", headers: [] });
    expect(heard).toEqual(["sent", "failed", "sent", "answered"]);
  });

  test("is sent again within the budget", async () => {
    const world = worldOf("a");
    const heard = heardIn(world);
    const plans = await Promise.all(Array.from({ length: 40 }, () => world.forwarded()));
    const again = plans.filter(({ plan }) => plan.retry?.(REFUSED) !== undefined).length;
    const { retries, retriesRefused } = world.room().counts;
    expect([retries, retries + retriesRefused]).toEqual([again, 40]);
    expect([again >= 1, again <= 4]).toEqual([true, true]);
    expect(heard.filter((what) => what === "sent")).toHaveLength(40 + again);
  });

  test("whose visitor went away counts as neither answered nor failed", async () => {
    const world = worldOf("a");
    const heard = heardIn(world);
    (await world.exchange()).leave();
    expect(heard).toEqual(["sent", "withdrawn"]);
    expect(world.room().origin.all[0]).toMatchObject({ requests: 1, failures: 0 });
  });

  test("five in a row: the target is down, and a page says so; session and place are kept", async () => {
    const world = worldOf("a");
    const { cookie } = await visit(world);
    const failed = async () =>
      originFails(await world.exchange({ headers: { ...HTML, Cookie: cookie } }), "unreachable");
    expect((await failed()).body).toContain("The site cannot be reached");
    for (let request = 1; request < 5; request++) await failed();
    expect(world.room().origin.isReachable(world.nowMs)).toBe(false);
    const DOWN = "The site behind this waiting room does not answer at the moment. You keep your";
    expect((await failed()).body).toContain(`${DOWN} session`);
    world.rooms.update("shop", { total_active_users: 1 });
    expect((await world.answered({ headers: HTML })).body).toContain(`${DOWN} place.`);
    expect((await world.told()).anteroom).toMatchObject({ originReachable: false, waitSeconds: null });
  });
});
