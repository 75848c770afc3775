import { describe, expect, test } from "vitest";
import { lookupWarnings } from "../../../node/operator/status/warnings.ts";
import { roomIdOf } from "../../../node/rooms/stored-room.ts";
import { NO_LOOKUPS } from "../../../node/rules/lookups.ts";
import { type Asked, fieldOf } from "./fake-exchange.ts";
import { GateWorld, MINUTE_MS, SHOP } from "./gate-world.ts";

const JSON_REQUEST: Asked = { headers: { Accept: "application/json" } };

test("a room that only a later release can read admits nobody at this gate", async () => {
  const world = new GateWorld({ rooms: [] });
  const id = roomIdOf("shop");
  const document = JSON.stringify({ ...SHOP, slot_policy: "of a later release" });
  const register = { firstName: "shop", document, createdMs: world.nowMs };
  world.rooms.follow(id, world.peer.replica.setRegister(id, register, world.nowMs));
  expect((await world.answered()).status).toBe(503);
});

describe("bypass_cidrs", () => {
  test.each([
    ["203.0.113.7", {}, "bypassed"],
    ["203.0.114.7", {}, "admitted"],
    ["2001:db8::9", {}, "bypassed"],
    ["::ffff:203.0.113.7", {}, "bypassed"],
    ["203.0.114.7", { "X-Forwarded-For": "203.0.113.7" }, "admitted"],
    ["10.1.1.1", { "X-Forwarded-For": "203.0.113.7" }, "bypassed"],
    ["10.1.1.1", { "X-Forwarded-For": "203.0.113.7, 198.51.100.1" }, "admitted"],
  ])("%s with %j is %s", async (from, headers, outcome) => {
    const bypass_cidrs = ["203.0.113.0/24", "2001:db8::/64"];
    const world = new GateWorld({ rooms: [{ ...SHOP, bypass_cidrs }], trustedProxies: ["10.0.0.0/8"] });
    expect(await world.outcome({ from, headers })).toBe(outcome);
    expect(world.room().admission.inside(world.nowMs)).toBe(outcome === "admitted" ? 1 : 0);
  });
});

describe("rules", () => {
  const rules = [
    { expression: 'http.request.uri.path eq "/api/buy"', action: "queue" },
    { expression: 'http.request.uri.path starts_with "/api/" or http.request.cookies["staff"] eq "yes"' },
    { expression: "ip.src in {203.0.113.0/24}", enabled: false },
  ];

  test.each([
    ["/api/list", {}, "bypassed"],
    ["/api/buy", {}, "admitted"],
    ["/shop", {}, "admitted"],
    ["/shop", { Cookie: "a=1; staff=yes" }, "bypassed"],
    ["/api/../shop", {}, "admitted"],
    ["/api/%2e%2e/shop", {}, "admitted"],
    ["/api//buy", { Cookie: "staff=yes" }, "admitted"],
  ])("%s with %j is %s", async (target, headers, outcome) => {
    const world = new GateWorld({ rooms: [{ ...SHOP, rules }] });
    expect(await world.outcome({ target, headers, from: "203.0.113.7" })).toBe(outcome);
    expect(world.room().admission.inside(world.nowMs)).toBe(outcome === "admitted" ? 1 : 0);
  });

  test("ask for country and network, and do not apply while the file is not there", async () => {
    const byPlace = [
      { expression: 'ip.src.country eq "DE"', action: "queue" },
      { expression: "ip.src.asnum in {64496}" },
    ];
    const addresses = { country: (from: string) => (from === "192.0.2.1" ? "DE" : "XX"), network: () => "64496" };
    const [bare, full] = [undefined, { addresses }].map(
      (lookups) => new GateWorld({ rooms: [{ ...SHOP, rules: byPlace }], ...(lookups && { lookups }) }),
    );
    expect(await bare?.outcome({ from: "192.0.2.2" })).toBe("admitted");
    expect(bare && lookupWarnings(bare.rooms, NO_LOOKUPS)).toEqual([
      "room shop: rules ask for ip.src.country, and this node has no database of countries (.mmdb): they do not apply",
      "room shop: rules ask for ip.src.asnum, and this node has no database of networks (.mmdb): they do not apply",
    ]);
    expect(await full?.outcome({ from: "192.0.2.1" })).toBe("admitted");
    expect(await full?.outcome({ from: "192.0.2.2" })).toBe("bypassed");
    expect(full && lookupWarnings(full.rooms, { addresses })).toEqual([]);
  });
});

describe("reject", () => {
  test("turns new visitors away without a cookie, and says when to ask again", async () => {
    const world = new GateWorld({ rooms: [{ ...SHOP, queueing_method: "reject" }] });
    const answers = [await world.answered(), await world.answered(JSON_REQUEST)];
    for (const { headers } of answers) {
      expect(fieldOf(headers, "Set-Cookie")).not.toContain("__anteroom_shop");
      expect(fieldOf(headers, "Cache-Control")).toBe("private, no-store");
    }
    const times = answers.map(({ headers }) => [fieldOf(headers, "Refresh"), fieldOf(headers, "Retry-After")]);
    expect(times).toEqual([
      ["60; url=/?__anteroom=again", undefined],
      [undefined, "60"],
    ]);
    expect((await world.told()).cfWaitingRoom.isRejectQueue).toBe(true);
    expect(world.room().counts.requests.rejected).toBe(3);
  });
});

describe("queue_max", () => {
  test("shows the next visitor that the line is full, without a place or a cookie", async () => {
    const world = await GateWorld.full({ queue_max: 2 });
    const place = await world.joinLine();
    await world.joinLine();
    const { status, headers, cfWaitingRoom } = await world.told();
    expect([status, fieldOf(headers, "Retry-After")]).toEqual([200, "20"]);
    expect(fieldOf(headers, "Set-Cookie")).not.toContain("__anteroom_shop");
    expect(cfWaitingRoom.queueIsFull).toBe(true);
    expect(await world.outcome()).toBe("full");
    expect(await world.outcome({ headers: { Cookie: place } })).toBe("polled");
    expect(world.room().admission.waiting).toBe(2);
  });
});

describe("a limit of new places in a minute", () => {
  test.each([
    ["address", "IPv4", ["198.51.100.1", "198.51.100.1", "198.51.100.1"], "198.51.100.2"],
    ["address", "64 bits of IPv6", ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2", "2001:db8:0:1:a::3"], "2001:db8:0:2::1"],
    ["prefix", "24 bits of IPv4", ["203.0.113.1", "203.0.113.2", "203.0.113.3"], "203.0.114.1"],
    ["prefix", "48 bits of IPv6", ["2001:db8:7:1::1", "2001:db8:7:f::1", "2001:db8:7:2::1"], "2001:db8:8:2::1"],
    ["prefix", "IPv4 in IPv6", ["203.0.113.1", "::ffff:203.0.113.2", "203.0.113.3"], "203.0.114.1"],
  ])("for one %s counts those inside and in line: %s", async (of, _, same, other) => {
    const gate = new GateWorld({ rooms: [{ ...SHOP, [`new_places_per_${of}_per_minute`]: 2 }] });
    const outcomes: string[] = [];
    for (const from of [...same, other]) outcomes.push(await gate.outcome({ from }));
    expect(outcomes).toEqual(["admitted", "admitted", "address_limited", "joined"]);
    gate.nowMs += MINUTE_MS;
    expect(await gate.outcome({ from: same[0] ?? "" })).toBe("joined");
  });

  test("answers 429 with a time to come back, and no cookie", async () => {
    const gate = await GateWorld.full({ new_places_per_address_per_minute: 2 });
    const { status, headers } = await gate.answered();
    expect(status).toBe(429);
    expect(fieldOf(headers, "Retry-After")).toBe("20");
    expect(fieldOf(headers, "Cache-Control")).toBe("private, no-store");
    expect(fieldOf(headers, "Set-Cookie")).toBeUndefined();
  });
});

describe("a room's own page", () => {
  test("is filled in with the visitor's numbers, escaped", async () => {
    const custom_page_html = "<p>{{position}} of {{waitTimeFormatted}} {{^queueIsFull}}<b>open</b>{{/queueIsFull}}</p>";
    const world = await GateWorld.full({ custom_page_html });
    const { body, headers } = await world.answered();
    expect(body).toBe("<p>1 of unavailable <b>open</b></p>");
    expect(fieldOf(headers, "Refresh")).toBe("1; url=/?__anteroom=again");
    expect(fieldOf(headers, "Content-Security-Policy")).toBe("frame-ancestors 'self'");
  });

  test.each([
    ["cannot stop a reload by script, so it comes no sooner for a new visitor", "<p>own", "20; url=/?__anteroom=again"],
    ["with a base is reloaded where it is", "<BASE href=//cdn.example>", "20"],
  ])("%s", async (_, custom_page_html, refresh) => {
    const world = await GateWorld.full({ custom_page_html });
    for (let waiting = 0; waiting < 30; waiting += 1) await world.joinLine();
    expect(fieldOf((await world.answered()).headers, "Refresh")).toBe(refresh);
  });

  test("that fails when it is rendered costs nobody the page: the built-in one is shown, and the log says so", async () => {
    const world = await GateWorld.full({ custom_page_html: "<p>{{#position}}{{/position}}" });
    Object.assign(world.room().room, { customPageHtml: "{{#position}} never closed" });
    const { status, body } = await world.answered();
    expect(status).toBe(200);
    expect(body).toContain("You are next");
    expect(world.logged.map(({ level, fields }) => [level, fields.room])).toContainEqual(["warn", "shop"]);
  });
});

describe("a path that can be read as of two rooms", () => {
  test("is refused, and nothing of it reaches an origin", async () => {
    const rooms = [SHOP, { ...SHOP, name: "static", path: "/static", suspended: true }];
    const world = new GateWorld({ rooms });
    const { status, headers } = await world.answered({ target: "/static/../checkout" });
    expect([status, fieldOf(headers, "Cache-Control")]).toEqual([400, "private, no-store"]);
    expect(await world.outcome({ target: "/static/logo.png" }, "static")).toBe("passed");
  });
});

describe("rooms that come and go", () => {
  test("a room renamed keeps its visitors and the name of its cookie", async () => {
    const world = new GateWorld();
    const inside = await world.comeIn();
    world.rooms.update("shop", { name: "store" });
    expect(await world.outcome({ headers: { Cookie: inside } }, "store")).toBe("inside");
    expect(await world.comeIn()).toMatch(/^__anteroom_shop=/);
  });
});
