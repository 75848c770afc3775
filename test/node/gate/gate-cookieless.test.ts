/**
 * A visitor whose browser keeps no cookies: told so, for as long as it is true, and without a slot or a place after the
 * first.
 */

import { beforeEach, describe, expect, test } from "vitest";
import { cookieIn, fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const PAGE = { Accept: "text/html" };
const POLL = { "Anteroom-Poll": "1", Accept: "application/json" };

let world: GateWorld;
beforeEach(() => {
  world = new GateWorld();
});

const placesTaken = (): number[] => {
  const { admission } = world.room();
  return [admission.inside(world.nowMs), admission.waiting];
};

/** Where a page sends its visitor by itself. */
function refreshOf(headers: readonly string[]): string {
  return /; url=(.*)$/.exec(fieldOf(headers, "Refresh") ?? "")?.[1] ?? "";
}

describe("without JavaScript", () => {
  test("the page asks from its marked address, and says that cookies are needed", async () => {
    await world.fill();
    const first = await world.answered({ target: "/tickets?day=1", headers: PAGE });
    expect(placesTaken()).toEqual([2, 1]);
    // It does not say so at first, and asks soon.
    expect(Number.parseInt(fieldOf(first.headers, "Refresh") ?? "", 10)).toBeLessThanOrEqual(2);
    let target = refreshOf(first.headers);
    expect(target).toBe("/tickets?day=1&__anteroom=again");
    for (let time = 0; time < 5; time += 1) {
      const { status, headers, body } = await world.answered({ target, headers: PAGE });
      expect([status, refreshOf(headers)]).toEqual([200, target]);
      expect(body).toContain('<h1 id="heading">Please allow cookies</h1>');
      expect(body).not.toMatch(/You are (in line|next)<\/h1>/);
      target = refreshOf(headers);
    }
    expect(placesTaken()).toEqual([2, 1]);
    expect(world.room().counts.requests.cookieless).toBe(5);
  });

  test("a room that is open takes no slot for them either", async () => {
    world.rooms.update("shop", { custom_page_html: "<p>our own page", refresh_interval_seconds: 600 });
    const { status, headers, body } = await world.answered({ target: "/?__anteroom=again", headers: PAGE });
    expect([status, ...placesTaken()]).toEqual([200, 0, 0]);
    // By the built-in page, which soon asks again.
    expect([body, fieldOf(headers, "Refresh")]).toEqual([
      expect.stringContaining("Please allow cookies"),
      "5; url=/?__anteroom=again",
    ]);
  });

  test("an admitted visitor is redirected to the clean address with the session's cookie", async () => {
    const held = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    const waiting = await held.answered({ target: "/a?b=c", headers: PAGE });
    held.rooms.update("shop", { queue_all: false });
    const target = refreshOf(waiting.headers);
    const sent = await held.answered({ target, headers: { ...PAGE, Cookie: cookieIn(waiting.headers) } });
    expect([sent.status, fieldOf(sent.headers, "Location")]).toEqual([303, "/a?b=c"]);
    const inside = await held.forwarded({ target: "/a?b=c", headers: { ...PAGE, Cookie: cookieIn(sent.headers) } });
    expect(inside.kind).toBe("forward");
    expect(held.room().counts.requests).toMatchObject({ admitted: 1, inside: 1 });
  });
});

describe("with JavaScript", () => {
  test("each poll says so, and takes neither slot nor place, whether the room is full or open", async () => {
    for (const isFull of [true, false]) {
      if (isFull) await world.fill();
      else world = new GateWorld();
      const before = placesTaken();
      for (let time = 0; time < 3; time += 1) {
        expect(await world.told("", { headers: POLL })).toMatchObject({
          cfWaitingRoom: { inWaitingRoom: true },
          anteroom: { cookiesNeeded: true, position: 0, ahead: 0 },
        });
      }
      expect(placesTaken()).toEqual(before);
    }
  });

  test("a poll with a cookie that no longer counts gets a new place", async () => {
    await world.fill();
    expect(await world.outcome({ headers: { ...POLL, Cookie: "__anteroom_shop=old" } })).toBe("joined");
  });

  test.each([
    ["of a room that is full", { queue_max: 1 }, "full"],
    ["of a room that rejects", { queueing_method: "reject" }, "rejected"],
  ])("one without a place %s has a cookie to show for it, and is taken in later", async (_, more, outcome) => {
    await world.fill();
    await world.joinLine();
    world.rooms.update("shop", more);
    const poll = { headers: { ...POLL, Cookie: await world.joinLine({ headers: PAGE }) } };
    expect(await world.outcome(poll)).toBe(outcome);
    world.rooms.update("shop", { queue_max: 10, queueing_method: "fifo" });
    expect(await world.outcome(poll)).toBe("joined");
  });
});
