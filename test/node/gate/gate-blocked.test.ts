import { beforeEach, describe, expect, test } from "vitest";
import { supportId } from "../../../node/gate/support-id.ts";
import { cookieIn, fieldOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const DAY_MS = 86_400_000;

let world: GateWorld;
beforeEach(() => {
  world = new GateWorld({ rooms: [{ ...SHOP, session_duration: 5 }] });
});

const block = (cookie: string, forMs = DAY_MS) =>
  world.rooms.block(world.room(), supportId(world.opened(cookie).id), world.nowMs + forMs);

const asked = (cookie: string, fields: Readonly<Record<string, string>> = {}) =>
  world.ask({ headers: { Cookie: cookie, Accept: "application/json", ...fields } });

/** Has the visitor with a cookie ask, who must be refused; returns the cookie that the answer gives. */
async function refused(cookie: string, fields?: Readonly<Record<string, string>>): Promise<string> {
  const outcome = await asked(cookie, fields);
  expect(outcome).toMatchObject({ kind: "answer", status: 403 });
  return outcome.kind === "answer" ? cookieIn(outcome.headers) : "";
}

describe("a visitor in line who is blocked", () => {
  test("loses the place and reads that the request is not accepted; those behind move up", async () => {
    await world.fill();
    const [first, second] = [await world.joinLine(), await world.joinLine()];
    block(first);
    const { status, headers, body } = await world.answered({ headers: { Cookie: first, Accept: "text/html" } });
    expect([status, fieldOf(headers, "Retry-After")]).toEqual([403, undefined]);
    expect(body).toContain("Request not accepted");
    const poll = await world.told(first, { headers: { "Anteroom-Poll": "1" } });
    expect(poll).toMatchObject({ status: 403, error: { code: "blocked" } });
    expect([world.room().admission.waiting, world.room().counts.requests.blocked]).toEqual([1, 2]);
    world.rooms.update("shop", { total_active_users: 3 });
    await refused(first);
    expect((await asked(second)).kind).toBe("forward");
  });

  test("is refused for assets and by any cookie of the visitor, also one that is over", async () => {
    await world.fill();
    const cookie = await world.joinLine();
    block(cookie);
    await refused(cookie, { "Sec-Fetch-Dest": "image" });
    world.nowMs += 3 * 3_600_000;
    await refused(cookie);
    expect(world.room().counts.badCookies.expired).toBe(0);
  });

  test("stays blocked while the keys of cookies change, and comes in by the next request once that is over", async () => {
    await world.fill();
    let cookie = await world.joinLine();
    block(cookie, 3 * DAY_MS);
    const { id } = world.opened(cookie);
    for (let hours = 12; hours < 72; hours += 12) {
      world.nowMs += 12 * 3_600_000;
      cookie = await refused(cookie);
      expect(world.opened(cookie).id).toBe(id);
    }
    world.nowMs += 12 * 3_600_000;
    expect((await asked(cookie)).kind).toBe("forward");
  });

  test("who is unblocked soon gets the place of before", async () => {
    await world.fill();
    const first = await world.joinLine();
    world.nowMs += 1_000;
    const second = await world.joinLine();
    block(first);
    await refused(first);
    expect(world.room().admission.waiting).toBe(1);
    block(first, 0);
    await world.answered({ headers: { Cookie: first } });
    world.rooms.update("shop", { total_active_users: 3 });
    expect([(await asked(second)).kind, (await asked(first)).kind]).toEqual(["answer", "forward"]);
  });

  test("harms no other visitor in whose browser somebody sets the cookie", async () => {
    const inside = await world.comeIn();
    await world.fill();
    const [place, own] = [await world.joinLine(), await world.joinLine()];
    for (const planted of [inside, place]) {
      block(planted);
      for (const both of [`${planted}; ${own}`, `${own}; ${planted}`]) {
        const { status, anteroom } = await world.told(both);
        expect([status, anteroom.supportId]).toEqual([200, supportId(world.opened(own).id)]);
      }
    }
    await refused(`${inside}; ${place}`);
  });
});

describe("a visitor inside who is blocked", () => {
  test("loses the session, whose slot goes to the line; unblocked, the visitor joins as a new one", async () => {
    const inside = await world.comeIn();
    await world.fill();
    const next = await world.joinLine();
    block(inside);
    const kept = await refused(inside);
    expect(world.opened(kept)).toEqual(world.opened(inside));
    // The slot is held to the end of the minute, and a grace.
    world.nowMs += MINUTE_MS + 6_000;
    expect((await asked(next)).kind).toBe("forward");
    block(inside, 0);
    expect(await asked(inside)).toMatchObject({ kind: "answer", status: 200 });
    expect(world.room().counts.badCookies.revoked).toBe(1);
  });

  test("keeps the cookie for a day after the end of the session at each request", async () => {
    const inside = await world.comeIn();
    block(inside, 2 * DAY_MS);
    world.nowMs += 23 * 3_600_000;
    const { headers } = await world.answered({ headers: { Cookie: inside } });
    expect(fieldOf(headers, "Set-Cookie")).toContain("Max-Age=86400");
  });

  test("whose session is over ends no other one, at a node that remembers neither", async () => {
    const cookie = await world.comeIn();
    world = new GateWorld({ rooms: [{ ...SHOP, session_duration: 5 }], nowMs: world.nowMs + 3 * 3_600_000 });
    const { sessions } = world.room().admission;
    sessions.holdAll(1, world.nowMs);
    block(cookie);
    await refused(cookie);
    world.nowMs += MINUTE_MS + 6_000;
    expect([sessions.inside(world.nowMs), sessions.revoked]).toEqual([1, []]);
  });

  test("keeps the slot behind a connector of Queue-it, which would let the visitor in", async () => {
    world.rooms.update("shop", { queue_it: { event_id: "sale", protects: ["https://www.shop.example/"] } });
    const { meshRoom } = world.room();
    const cookie = await world.joinLine();
    const place = world.opened(cookie);
    expect(place.kind).toBe("inside");
    block(cookie);
    await refused(cookie);
    expect(meshRoom.admission.inside(world.nowMs)).toBe(1);
  });
});

test("a room that is suspended, and a rule that bypasses, let blocked visitors through as well", async () => {
  const inside = await world.comeIn();
  block(inside);
  world.rooms.update("shop", {
    rules: [{ action: "bypass_waiting_room", expression: 'http.request.uri.path eq "/pay"' }],
  });
  expect((await world.ask({ target: "/pay", headers: { Cookie: inside } })).kind).toBe("forward");
  await refused(inside);
  world.rooms.update("shop", { suspended: true });
  expect((await asked(inside)).kind).toBe("forward");
});
