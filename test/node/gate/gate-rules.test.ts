/** Rules that refuse requests, or ask for a proof of work: for whom, and what it costs the room. */

import { describe, expect, test } from "vitest";
import { fieldOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";
import { proofOf } from "./page-solver.ts";

const SCRAPER = { "User-Agent": "Scraper/1.0", Accept: "application/json" };
const PERSON = { "User-Agent": "Mozilla/5.0", Accept: "application/json" };
const ruled = (action: string, more = {}) => ({
  ...SHOP,
  rules: [{ expression: 'http.user_agent contains "Scraper"', action }],
  ...more,
});

describe("a rule that blocks", () => {
  test("refuses what it matches, as page and as JSON, without a slot, a place or a cookie", async () => {
    const world = new GateWorld({ rooms: [ruled("block")] });
    const json = await world.told("", { headers: SCRAPER });
    expect([json.status, json.error.code]).toEqual([403, "blocked"]);
    const page = await world.answered({ headers: { ...SCRAPER, Accept: "text/html" } });
    expect([page.status, page.body]).toEqual([403, expect.stringContaining("Request not accepted")]);
    for (const { headers } of [json, page]) {
      expect(fieldOf(headers, "set-cookie")).toBeUndefined();
      expect(fieldOf(headers, "retry-after")).toBeUndefined();
    }
    const { admission, meshRoom, counts } = world.room();
    expect([admission.inside(world.nowMs), meshRoom.waitingHere]).toEqual([0, 0]);
    expect(counts.requests.blocked).toBe(2);
    expect(await world.outcome({ headers: PERSON })).toBe("admitted");
  });

  test("refuses visitors inside as well, who keep their session", async () => {
    const world = new GateWorld({ rooms: [ruled("block")] });
    const Cookie = await world.comeIn({ headers: PERSON });
    expect(await world.outcome({ headers: { ...SCRAPER, Cookie } })).toBe("blocked");
    expect(await world.outcome({ headers: { ...PERSON, Cookie } })).toBe("inside");
  });

  test("after one that bypasses does nothing, nor does one that is unsure, nor one of a suspended room", async () => {
    const asset = { target: "/robots.txt", headers: SCRAPER };
    const rules = [
      { expression: 'http.request.uri.path eq "/robots.txt"' },
      { expression: 'http.request.uri.path starts_with "/admin"', action: "block" },
      ...ruled("block").rules,
    ];
    const world = new GateWorld({ rooms: [{ ...SHOP, rules }] });
    expect(await world.outcome(asset)).toBe("bypassed");
    expect(await world.outcome({ target: "/admin", headers: PERSON })).toBe("blocked");
    expect(await world.outcome({ target: "/x/../admin", headers: PERSON })).toBe("admitted");
    const idle = new GateWorld({ rooms: [ruled("block", { suspended: true })] });
    expect(await idle.outcome({ headers: SCRAPER })).toBe("passed");
  });
});

describe("a rule that challenges", () => {
  const HARD = { proof_of_work_action: "infinite_queue" };

  test("keeps the visitors that it matches out until the proof comes, and asks nothing of others", async () => {
    const world = new GateWorld({ rooms: [ruled("challenge", HARD)] });
    const first = await world.told("", { headers: SCRAPER });
    let { cookie } = first;
    for (let minute = 0; minute < 30; minute++) {
      world.nowMs += MINUTE_MS;
      // The cookie owes the proof, whatever else the visitor says now.
      const told = await world.told(cookie, { headers: PERSON });
      expect(told.cfWaitingRoom.infiniteQueue).toBe(true);
      cookie = told.cookie;
    }
    expect(world.room().admission.inside(world.nowMs)).toBe(0);
    expect(await world.outcome({ headers: PERSON })).toBe("admitted");
    world.nowMs -= 30 * MINUTE_MS;
    const proved = { ...SCRAPER, Cookie: first.cookie, "Anteroom-Proof": proofOf(first.anteroom.challenge) };
    expect(await world.outcome({ headers: proved })).toBe("admitted");
    expect(world.room().counts.proofs).toEqual({ given: 1, solved: 1, failed: 0, unsolved: 0 });
  });

  test("asks also what it is unsure of: that costs a person little", async () => {
    const rules = [{ expression: 'http.request.uri.path starts_with "/buy"', action: "challenge" }];
    const world = new GateWorld({ rooms: [{ ...SHOP, ...HARD, rules }] });
    expect(await world.outcome({ target: "/x/../buy", headers: PERSON })).toBe("unproved");
    expect(await world.outcome({ target: "/list", headers: PERSON })).toBe("admitted");
  });

  test("that is taken away frees those who owe its proof", async () => {
    const world = new GateWorld({ rooms: [ruled("challenge", HARD)] });
    const Cookie = await world.joinLine({ headers: SCRAPER });
    world.rooms.update("shop", { rules: [] });
    expect(await world.outcome({ headers: { ...SCRAPER, Cookie } })).toBe("admitted");
  });
});
