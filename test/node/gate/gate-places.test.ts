import { describe, expect, test } from "vitest";
import { type Asked, fieldOf } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const NAVIGATE = { "Sec-Fetch-Mode": "navigate", Accept: "text/html" };
const JSON_FETCH: Asked = { headers: { "Sec-Fetch-Mode": "cors", Accept: "application/json" } };
const POLL: Asked = { headers: { "Sec-Fetch-Mode": "cors", "Anteroom-Poll": "1" } };
const SOCKET: Asked = { webSocket: true, headers: { "Sec-Fetch-Mode": "websocket", Upgrade: "websocket" } };
const FORM: Asked = { method: "POST", headers: NAVIGATE };
const PREFLIGHT = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };

/** What a request gets: of an open room, of a full one, and of a full one with a place in line. */
type Outcomes = readonly [open: string, full: string, waiting: string];
const PLACE: Outcomes = ["admitted", "joined", "polled"];
const NONE: Outcomes = ["passed", "turned_away", "turned_away"];

const REQUESTS: readonly (readonly [name: string, Asked, Outcomes])[] = [
  ["a navigation", { headers: NAVIGATE }, PLACE],
  ["a GET of a client without Fetch Metadata", { headers: {} }, PLACE],
  ["a GET that accepts anything", { headers: { Accept: "*/*" } }, NONE],
  ["a GET that looks like a preflight", { headers: PREFLIGHT }, PLACE],
  ["a fetch for JSON", JSON_FETCH, PLACE],
  ["JSON among others", { headers: { Accept: "text/html, application/json;q=0.9" } }, PLACE],
  ["a fetch for another JSON", { headers: { "Sec-Fetch-Mode": "cors", Accept: "application/ld+json" } }, NONE],
  ["a waiting page's poll", POLL, ["cookieless", "cookieless", "polled"]],
  ["a poll by HEAD", { ...POLL, method: "HEAD" }, NONE],
  ["a POST that calls itself a poll", { method: "POST", headers: { "Anteroom-Poll": "1" } }, NONE],
  ["an image", { headers: { "Sec-Fetch-Mode": "no-cors", Accept: "image/*" } }, NONE],
  ["a fetch for something else", { headers: { "Sec-Fetch-Mode": "cors", Accept: "*/*" } }, NONE],
  ["a HEAD", { method: "HEAD" }, NONE],
  ["an OPTIONS", { method: "OPTIONS" }, NONE],
  ["an OPTIONS for JSON", { ...JSON_FETCH, method: "OPTIONS" }, NONE],
  ["a CORS preflight", { method: "OPTIONS", headers: PREFLIGHT }, ["passed", "passed", "turned_away"]],
  ["a prefetch", { headers: { ...NAVIGATE, "Sec-Purpose": "prefetch;prerender" } }, NONE],
  ["a prefetch of an older browser", { headers: { Purpose: "prefetch" } }, NONE],
  ["a prefetch of an old Firefox", { headers: { "X-Moz": "Prefetch" } }, NONE],
  ["a purpose that is no prefetch", { headers: { Purpose: "shopping" } }, PLACE],
  ["a form", FORM, PLACE],
  [
    "a form of another site",
    { ...FORM, headers: { ...NAVIGATE, "Sec-Fetch-Site": "cross-site" } },
    ["passed", "sent_back", "sent_back"],
  ],
  ["a POST", { method: "POST", headers: { Accept: "*/*" } }, NONE],
  ["a POST for JSON", { ...JSON_FETCH, method: "POST" }, PLACE],
  ["a PATCH for JSON", { ...JSON_FETCH, method: "PATCH" }, PLACE],
  ["a PUT for a page", { method: "PUT", headers: { Accept: "text/html" } }, NONE],
  ["a method in small letters, which is another one", { method: "get" }, NONE],
  ["a WebSocket", SOCKET, NONE],
];

describe("who takes a slot or a place", () => {
  test.each(REQUESTS)("%s", async (_, asked, [open, full, waiting]) => {
    const world = new GateWorld();
    expect(await world.outcome(asked)).toBe(open);
    expect(world.room().admission.inside(world.nowMs)).toBe(open === "admitted" ? 1 : 0);

    const inside = await world.comeIn();
    await world.fill();
    expect(await world.outcome(withCookie(asked, inside))).toBe("inside");
    expect(await world.outcome(asked)).toBe(full);
    expect(world.room().admission.waiting).toBe(full === "joined" ? 1 : 0);

    const cookie = await world.joinLine();
    const before = world.room().admission.waiting;
    expect(await world.outcome(withCookie(asked, cookie))).toBe(waiting);
    expect(world.room().admission.waiting).toBe(before);
    expect(world.room().admission.inside(world.nowMs)).toBe(2);
  });

  test("with JSON answers switched off a fetch for JSON takes neither", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, json_response_enabled: false }] });
    expect(await world.outcome(JSON_FETCH)).toBe("passed");
    await world.fill();
    expect(await world.outcome(JSON_FETCH)).toBe("turned_away");
    const poll = withCookie(POLL, await world.joinLine());
    expect(await world.outcome(poll)).toBe("polled");
  });

  test("a page's poll never reaches the origin, whatever becomes of its visitor", async () => {
    const poll = { headers: { "Anteroom-Poll": "1", Cookie: "__anteroom_.kept=1" } };
    const rooms = [{}, { suspended: true }, { queueing_method: "passthrough" }, { bypass_cidrs: ["0.0.0.0/0"] }];
    for (const extra of rooms) {
      const world = new GateWorld({ rooms: [{ ...SHOP, ...extra }] });
      const { status, headers, cfWaitingRoom } = await world.told("", poll);
      expect([status, cfWaitingRoom.inWaitingRoom]).toEqual([200, false]);
      expect(fieldOf(headers, "Cache-Control")).toBe("private, no-store");
    }
  });
});

describe("answers to visitors who are not admitted", () => {
  test("a page carries Refresh, JSON and refusals carry Retry-After, and none may be stored", async () => {
    const world = await GateWorld.full({ refresh_interval_seconds: 7 });
    for (let waiting = 0; waiting < 30; waiting += 1) await world.joinLine();
    const seen = async (asked: Asked) => {
      const { status, headers } = await world.answered(asked);
      return [status, ...["Cache-Control", "Refresh", "Retry-After"].map((name) => fieldOf(headers, name))];
    };
    const page = [200, "private, no-store", "2; url=/?__anteroom=again", undefined];
    expect(await seen({ headers: { Accept: "text/html" } })).toEqual(page);
    expect(await seen(JSON_FETCH)).toEqual([200, "private, no-store", undefined, "7"]);
    for (const asked of [{ method: "POST" }, SOCKET])
      expect(await seen(asked)).toEqual([503, "private, no-store", undefined, "7"]);
  });

  test("ask again after slots came free: a page at the moment itself, a program and a page without script in whole seconds", async () => {
    const world = await GateWorld.full();
    const { cookie } = await world.told();
    world.nowMs += 59_000;
    const { headers, cfWaitingRoom, anteroom } = await world.told(cookie);
    const page = await world.answered({ headers: { Accept: "text/html", Cookie: cookie } });
    expect([fieldOf(headers, "Retry-After"), cfWaitingRoom.refreshIntervalSeconds, anteroom.pollMs]).toEqual([
      "2",
      2,
      1_251,
    ]);
    expect(fieldOf(page.headers, "Refresh")).toBe("2; url=/?__anteroom=again.placed");
  });

  test("waiting answers have the room's status", async () => {
    for (const queueing_status_code of [200, 202, 429]) {
      const world = await GateWorld.full({ queueing_status_code });
      expect((await world.answered()).status).toBe(queueing_status_code);
    }
  });
});

function withCookie(asked: Asked, cookie: string): Asked {
  return { ...asked, headers: { ...asked.headers, Cookie: cookie } };
}
