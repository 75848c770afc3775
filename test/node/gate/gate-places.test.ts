import { describe, expect, test } from "vitest";
import { type Asked, fieldOf, fieldsOf, originAnswers } from "./fake-exchange.ts";
import { GateWorld, SHOP } from "./gate-world.ts";

const REQUESTS = {
  "a navigation": { headers: { "Sec-Fetch-Mode": "navigate", Accept: "text/html" } },
  "a GET of a client without Fetch Metadata": { headers: {} },
  "a fetch for JSON": { headers: { "Sec-Fetch-Mode": "cors", Accept: "application/json" } },
  "a waiting page's poll": { headers: { "Sec-Fetch-Mode": "cors", "Anteroom-Poll": "1" } },
  "an image": { headers: { "Sec-Fetch-Mode": "no-cors", Accept: "image/*" } },
  "a fetch for something else": { headers: { "Sec-Fetch-Mode": "cors", Accept: "*/*" } },
  "a HEAD": { method: "HEAD" },
  "an OPTIONS": { method: "OPTIONS" },
  "a CORS preflight": {
    method: "OPTIONS",
    headers: { Origin: "https://app.example", "Access-Control-Request-Method": "POST" },
  },
  "a prefetch": { headers: { "Sec-Fetch-Mode": "navigate", "Sec-Purpose": "prefetch;prerender" } },
  "a prefetch of an older browser": { headers: { Purpose: "prefetch" } },
  "a form": { method: "POST", headers: { "Sec-Fetch-Mode": "navigate" } },
  "a form of another site": {
    method: "POST",
    headers: { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site" },
  },
  "a POST": { method: "POST", headers: { Accept: "*/*" } },
  "a POST for JSON": { method: "POST", headers: { Accept: "application/json" } },
  "a POST that calls itself a poll": { method: "POST", headers: { "Anteroom-Poll": "1" } },
  "a WebSocket": { webSocket: true, headers: { "Sec-Fetch-Mode": "websocket", Upgrade: "websocket" } },
} satisfies Record<string, Asked>;
type Name = keyof typeof REQUESTS;

/** What each request gets: of an open room, of a full one, and of a full one with a place in line. */
const TABLE: readonly (readonly [Name, string, string, string])[] = [
  ["a navigation", "admitted", "joined", "polled"],
  ["a GET of a client without Fetch Metadata", "admitted", "joined", "polled"],
  ["a fetch for JSON", "admitted", "joined", "polled"],
  ["a waiting page's poll", "cookieless", "cookieless", "polled"],
  ["an image", "passed", "turned_away", "turned_away"],
  ["a fetch for something else", "passed", "turned_away", "turned_away"],
  ["a HEAD", "passed", "turned_away", "turned_away"],
  ["an OPTIONS", "passed", "turned_away", "turned_away"],
  ["a CORS preflight", "passed", "passed", "turned_away"],
  ["a prefetch", "passed", "turned_away", "turned_away"],
  ["a prefetch of an older browser", "passed", "turned_away", "turned_away"],
  ["a form", "admitted", "joined", "polled"],
  ["a form of another site", "passed", "sent_back", "sent_back"],
  ["a POST", "passed", "turned_away", "turned_away"],
  ["a POST for JSON", "admitted", "joined", "polled"],
  ["a POST that calls itself a poll", "passed", "turned_away", "turned_away"],
  ["a WebSocket", "passed", "turned_away", "turned_away"],
];

describe("who takes a slot or a place", () => {
  test("the table is complete", () => {
    expect(TABLE.map(([name]) => name)).toEqual(Object.keys(REQUESTS));
  });

  test.each(TABLE)("%s: open %s, full %s, waiting %s", async (name, open, full, waiting) => {
    const asked: Asked = REQUESTS[name];
    const world = new GateWorld();
    expect(await world.outcome(asked)).toBe(open);
    expect(world.room().admission.inside(world.nowMs)).toBe(open === "admitted" ? 1 : 0);

    await world.fill();
    expect(await world.outcome(asked)).toBe(full);
    expect(world.room().admission.waiting).toBe(full === "joined" ? 1 : 0);

    const cookie = await world.joinLine();
    const before = world.room().admission.waiting;
    expect(await world.outcome(withCookie(asked, cookie))).toBe(waiting);
    expect(world.room().admission.waiting).toBe(before);
    expect(world.room().admission.inside(world.nowMs)).toBe(2);
  });

  test.each(Object.keys(REQUESTS) as Name[])("%s of a visitor inside passes, though the room is full", async (name) => {
    const world = new GateWorld();
    const cookie = await world.comeIn();
    await world.fill();
    expect(await world.outcome(withCookie(REQUESTS[name], cookie))).toBe("inside");
    expect(world.room().admission.inside(world.nowMs)).toBe(2);
  });

  test("with JSON answers switched off a fetch for JSON takes neither", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, json_response_enabled: false }] });
    expect(await world.outcome(REQUESTS["a fetch for JSON"])).toBe("passed");
    await world.fill();
    expect(await world.outcome(REQUESTS["a fetch for JSON"])).toBe("turned_away");
    const poll = withCookie(REQUESTS["a waiting page's poll"], await world.joinLine());
    expect(await world.outcome(poll)).toBe("polled");
  });

  test("a page's poll never reaches the origin, whatever becomes of its visitor", async () => {
    const poll = { headers: { "Anteroom-Poll": "1", Cookie: "__anteroom_.kept=1" } };
    for (const extra of [
      {},
      { suspended: true },
      { queueing_method: "passthrough" },
      { bypass_cidrs: ["0.0.0.0/0"] },
    ]) {
      const world = new GateWorld({ rooms: [{ ...SHOP, ...extra }] });
      const { status, headers, body } = await world.answered(poll);
      expect([status, JSON.parse(body).cfWaitingRoom.inWaitingRoom]).toEqual([200, false]);
      expect(fieldOf(headers, "Cache-Control")).toBe("private, no-store");
    }
  });
});

describe("answers to visitors who are not admitted", () => {
  test("a page carries Refresh, JSON and refusals carry Retry-After, and none may be stored", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, refresh_interval_seconds: 7 }] });
    await world.fill();
    for (let waiting = 0; waiting < 30; waiting += 1) await world.joinLine();
    const page = await world.answered({ headers: { Accept: "text/html" } });
    const json = await world.answered(REQUESTS["a fetch for JSON"]);
    const post = await world.answered({ method: "POST" });
    const socket = await world.answered(REQUESTS["a WebSocket"]);
    expect([page, json, post, socket].map(({ status }) => status)).toEqual([200, 200, 503, 503]);
    expect([page, json, post, socket].map(({ headers }) => fieldsOf(headers, "Cache-Control"))).toEqual(
      Array(4).fill(["private, no-store"]),
    );
    expect([page, json, post, socket].map(({ headers }) => fieldOf(headers, "Refresh"))).toEqual([
      "2; url=/?__anteroom=again",
      undefined,
      undefined,
      undefined,
    ]);
    expect([page, json, post, socket].map(({ headers }) => fieldOf(headers, "Retry-After"))).toEqual([
      undefined,
      "7",
      "7",
      "7",
    ]);
  });

  test("waiting answers have the room's status", async () => {
    for (const queueing_status_code of [200, 202, 429]) {
      const world = new GateWorld({ rooms: [{ ...SHOP, queueing_status_code }] });
      await world.fill();
      expect((await world.answered()).status).toBe(queueing_status_code);
    }
  });

  test("the next to come in asks again within two seconds", async () => {
    const world = new GateWorld();
    await world.fill();
    expect(fieldOf((await world.answered()).headers, "Refresh")).toMatch(/^[12];/);
  });
});

describe("the first admission", () => {
  test("sets the cookie on the origin's answer", async () => {
    const world = new GateWorld();
    const headers = originAnswers(await world.forwarded(), ["Set-Cookie", "cart=1", "Content-Type", "text/plain"]);
    const cookies = fieldsOf(headers, "Set-Cookie");
    expect(cookies[0]).toBe("cart=1");
    expect(cookies[1]).toMatch(/^__anteroom_shop=/);
    expect(cookies).toHaveLength(2);
  });
});

function withCookie(asked: Asked, cookie: string): Asked {
  return { ...asked, headers: { ...asked.headers, Cookie: cookie } };
}
