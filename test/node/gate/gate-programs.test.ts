/** Programs that are no visitors: health checks, readers of the rules for robots, those who renew certificates. */

import { describe, expect, test } from "vitest";
import { fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const NO_FIELDS = { headers: [] } as const;

/** A full room with a visitor in line. */
async function withLine(): Promise<GateWorld> {
  const world = await GateWorld.full();
  await world.joinLine();
  return world;
}

describe("a health check", () => {
  test("at its own address gets 200, at any host, and is never a visit", async () => {
    const world = new GateWorld();
    for (const host of ["shop.example", "10.0.0.7", "nowhere.example"])
      for (const method of ["GET", "HEAD"])
        for (const target of ["/.anteroom/health", "/.anteroom/health?at=1"]) {
          const { status, headers } = await world.answered({ method, host, target, ...NO_FIELDS });
          expect([status, fieldOf(headers, "Cache-Control")]).toEqual([200, "private, no-store"]);
        }
    expect([world.room().admission.inside(world.nowMs), world.gate.unmatched]).toEqual([0, 0]);
  });

  test.each([
    [[], "10.0.0.5"],
    [["10.0.0.0/8"], "198.51.100.1"],
  ])("hears which address counts as its own behind the trusted proxies %j", async (trustedProxies, address) => {
    const world = new GateWorld({ rooms: [SHOP], trustedProxies });
    const headers = { "X-Forwarded-For": "198.51.100.1" };
    const answer = await world.answered({ from: "10.0.0.5", target: "/.anteroom/health", headers });
    expect(fieldOf(answer.headers, "Anteroom-Client")).toBe(address);
  });

  test("gets 503 of a node that should get no visitors", async () => {
    const world = new GateWorld({ rooms: [SHOP], isHealthy: () => false });
    expect(await world.answered({ target: "/.anteroom/health" })).toMatchObject({ status: 503, body: "not ready\n" });
  });

  test("at any other address takes no slot, as it says nothing of what it accepts", async () => {
    const world = new GateWorld();
    expect(await world.outcome(NO_FIELDS)).toBe("passed");
    await world.fill();
    await world.joinLine();
    expect(await world.outcome(NO_FIELDS)).toBe("turned_away");
  });
});

describe("a file for programs", () => {
  const FILES = ["/robots.txt", "/robots.txt?x=1", "/.well-known/acme-challenge/a-B_9", "/.well-known/security.txt"];

  test.each(FILES)("%s takes no slot, and passes a line", async (target) => {
    const world = new GateWorld();
    expect(await world.outcome({ target })).toBe("passed");
    expect(world.room().admission.inside(world.nowMs)).toBe(0);
    await world.fill();
    await world.joinLine();
    for (const method of ["GET", "HEAD"]) expect(await world.outcome({ target, method })).toBe("passed");
  });

  test.each([
    ...["/.well-known/../checkout", "/.well-known/%2e%2e/checkout", "/.well-known/a%2f..", "/.well-known/a//b"],
    ...["/.well-known/..;/checkout", "/.well-known/", "/.well-known", "/robots.txt/checkout", "/Robots.txt"],
    ...["/.well-known/a/..", "/.well-known/a\\..\\b", "/.well-known/.git"],
  ])("is not what another server may read as another path: %s", async (target) => {
    const world = await withLine();
    expect(await world.outcome({ target })).toBe("joined");
  });

  test("is not what a form is sent to", async () => {
    const world = await withLine();
    expect(await world.outcome({ target: "/.well-known/x", method: "POST" })).toBe("turned_away");
  });

  test("passes a line so often in a minute from one address, and no more often", async () => {
    const world = await withLine();
    const outcomes = new Set<string>();
    for (let times = 0; times < 10_000 && !outcomes.has("turned_away"); times++)
      outcomes.add(await world.outcome({ target: "/robots.txt" }));
    expect([...outcomes]).toEqual(["passed", "turned_away"]);
  });
});

describe("a program that changes something, without a cookie of ours, while its call cannot pass", () => {
  const CALL = { method: "POST", target: "/hook", hasBody: true } as const;

  test.each([
    ["JSON", { Accept: "application/json, text/plain, */*" }],
    ["JSON by fetch of Node.js, which says its mode alone", { Accept: "application/json", "Sec-Fetch-Mode": "cors" }],
    ["pages too", { Accept: "text/html, application/json" }],
    ["anything", { Accept: "*/*" }],
  ])("gets 503, so that it tries again: one that accepts %s", async (_, fields) => {
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const { status, headers } = await world.answered({ ...CALL, method, headers: fields });
      expect([method, status, fieldOf(headers, "Retry-After")]).toEqual([method, 503, expect.any(String)]);
    }
  });

  test("an app that shows its place, or runs in a browser, gets the room's status", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, queue_all: true }] });
    const first = await world.told("", CALL);
    expect([first.status, first.cfWaitingRoom.inWaitingRoom]).toEqual([503, true]);
    expect((await world.told(first.cookie, CALL)).status).toBe(200);
    // Some browsers leave Origin out where a page asks its own host.
    for (const said of [{ Origin: "http://shop.example" }, { "Sec-Fetch-Site": "same-origin" }])
      expect((await world.told("", { ...CALL, headers: said })).status).toBe(200);
  });
});

test("no answer of the gate's own gets into an index", async () => {
  const world = await GateWorld.full();
  expect([await world.answered(), await world.told()].map(({ headers }) => fieldOf(headers, "X-Robots-Tag"))).toEqual([
    "noindex",
    "noindex",
  ]);
});
