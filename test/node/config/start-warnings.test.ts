import { describe, expect, test } from "vitest";
import { servesNothing, startWarnings, stuffedDraw } from "../../../node/config/start-warnings.ts";
import { roomOf, smallest } from "./documents.ts";

const OWN = ["gate-1", "192.0.2.7", "2001:db8::7"];

const room = (fields: object) => roomOf(smallest(fields));

function warnings(given: { origin?: string; listen?: string; rooms?: object[] }) {
  const [host = "", port = "8080"] = (given.listen ?? ":8080").split(/:(?=\d+$)/);
  const settings = { origin: given.origin, listen: { host, port: Number(port) } };
  return startWarnings(settings, (given.rooms ?? [{}]).map(room), OWN);
}

describe("an origin that is the gate itself", () => {
  test.each([
    ["http://localhost:8080", ":8080"],
    ["http://127.0.0.1:8080/base", ":8080"],
    ["http://127.0.0.1:8080", "127.0.0.1:8080"],
    ["http://gate-1:8080", "0.0.0.0:8080"],
    ["http://GATE-1", ":80"],
    ["http://[2001:db8::7]:8080", ":8080"],
    ["http://shop.example:8080", "shop.example:8080"],
  ])("%s is named where the gate listens on %s", (origin, listen) => {
    expect(warnings({ origin, listen })).toEqual([
      expect.stringContaining(`--origin is ${origin}, the gate's own address`),
    ]);
  });

  test.each([
    ["http://127.0.0.1:3000", ":8080"],
    ["http://origin.example:8080", ":8080"],
    ["http://127.0.0.1", ":0"],
  ])("%s is none where the gate listens on %s", (origin, listen) => expect(warnings({ origin, listen })).toEqual([]));

  test("is named with its room", () => {
    const origin = [{ url: "http://origin.example" }, { url: "http://localhost:8080" }];
    expect(warnings({ rooms: [{ origin }] })).toEqual([
      expect.stringMatching(/^the origin of room shop is http:\/\/localhost:8080,/),
    ]);
  });
});

describe("CT-1: a room that may send a cold origin", () => {
  const FAST = { total_active_users: 1_000_000, new_users_per_minute: 30_001 };
  const TWO = [{ url: "http://a.example" }, { url: "http://b.example" }];
  const FIVE = ["a", "b", "c", "d", "e"].map((name) => ({ url: `http://${name}.example` }));
  const sale = { name: "sale", event_start_time: "2026-11-27T10:00:00Z", event_end_time: "2026-11-27T12:00:00Z" };

  test.each<[object, string]>([
    [{}, "room shop may send 500 new users a second"],
    [{ origin: [{ url: "http://a.example", weight: 0.1 }] }, "room shop may send 500 new users a second"],
    [{ origin: TWO, new_users_per_minute: 60_100 }, "room shop may send 1001 new users a second"],
    [{ origin: FIVE, new_users_per_minute: 120_100 }, "room shop may send 2001 new users a second"],
    [
      { new_users_per_minute: 60, events: [{ ...sale, total_active_users: 60_000, new_users_per_minute: 60_000 }] },
      "event sale of room shop may send 1000 new users a second",
    ],
  ])("more than 500 new users a second at one target, or 2,000 in all, is named: %j", (fields, warning) => {
    expect(warnings({ rooms: [{ ...FAST, ...fields }] })).toEqual([expect.stringContaining(warning)]);
  });

  test.each([
    { new_users_per_minute: 30_000 },
    { origin: TWO, new_users_per_minute: 60_000 },
    { ramp: "500/s/50/5", events: [sale] },
  ])("less, or in steps, is not: %j", (fields) => {
    expect(warnings({ rooms: [{ ...FAST, ...fields }] })).toEqual([]);
  });
});

describe("a room with several hosts", () => {
  const hosts = (host: string, others: string[], cookieDomain = "") => ({
    host,
    additional_routes: others.map((other) => ({ host: other, path: "/" })),
    ...(cookieDomain !== "" && { cookie_domain: cookieDomain }),
  });

  test("of one site and without cookie_domain is named, with the domain to set", () => {
    expect(warnings({ rooms: [hosts("a.shop.example", ["b.shop.example", "shop.example"])] })).toEqual([
      "room shop has several hosts of shop.example, and each has a cookie of its own: a visitor of two of them counts as two. Set cookie_domain: shop.example",
    ]);
  });

  test.each([
    ["has cookie_domain", hosts("a.shop.example", ["b.shop.example"], "shop.example")],
    ["are of several sites", hosts("shop.example", ["tickets.example"])],
    ["are one host", hosts("shop.example", [])],
    ["are every host", hosts("*", [])],
    ["are addresses", hosts("192.0.2.1", ["192.0.2.2"])],
  ])("that %s is well", (_how, fields) => expect(warnings({ rooms: [fields] })).toEqual([]));
});

describe("requests that match no room", () => {
  const origin = "http://origin.example";

  test("are reported, with what is covered and what to do", () => {
    expect(warnings({ origin, rooms: [{ host: "shop.example", path: "/tickets" }] })).toEqual([
      expect.stringMatching(/rooms cover shop\.example\/tickets only.*without --origin/),
    ]);
    expect(warnings({ origin, rooms: [] })).toEqual([expect.stringMatching(/^there is no room yet/)]);
  });

  test.each([
    [{ origin, rooms: [{ host: "shop.example", additional_routes: [{ host: "*" }] }] }],
    [{ rooms: [{ host: "shop.example", origin }] }],
  ] as const)("are not where %j", (given) => {
    expect(warnings({ ...given, rooms: [...given.rooms] })).toEqual([]);
  });
});

test("a node without rooms and without --origin says that it serves nothing", () => {
  expect(servesNothing({ origin: undefined }, 0)).toEqual([
    expect.stringContaining("there is no room and no --origin: every request gets 404"),
  ]);
  expect(servesNothing({ origin: "http://a.example" }, 0)).toEqual([]);
  expect(servesNothing({ origin: undefined }, 1)).toEqual([]);
});

describe("a draw of which one address may take any number of lots", () => {
  const START_MS = Date.parse("2026-11-28T10:00:00Z");
  const sale = {
    ...{ name: "sale", shuffle_at_event_start: true, prequeue_start_time: "2026-11-28T09:00:00Z" },
    ...{ event_start_time: "2026-11-28T10:00:00Z", event_end_time: "2026-11-28T12:00:00Z" },
  };

  test("is named with what to set, until it is over", () => {
    const [said] = stuffedDraw(room({ events: [sale] }), START_MS);
    expect(said).toMatch(/^room shop draws places \(event sale\), and one address .*new_places_per_address_per_minute/);
    expect(stuffedDraw(room({ events: [sale] }), START_MS + 3 * 3_600_000)).toEqual([]);
  });

  test.each([
    { queueing_method: "random" },
    { events: [{ ...sale, shuffle_at_event_start: false, queueing_method: "random" }] },
    { events: [sale], proof_of_work_mode: "always" },
  ])("is any in %j", (fields) => {
    expect(stuffedDraw(room(fields), START_MS)).toHaveLength(1);
  });

  test.each([
    { new_places_per_address_per_minute: 5 },
    { proof_of_work_mode: "auto", proof_of_work_action: "infinite_queue" },
    { invite_only: true },
    { events: [{ ...sale, shuffle_at_event_start: false }] },
    { events: [{ ...sale, suspended: true }] },
  ])("is well with %j", (fields) => {
    expect(stuffedDraw(room({ events: [sale], ...fields }), START_MS)).toEqual([]);
  });
});

describe("rooms before one origin", () => {
  const [SHOP, TEA, BAR] = ["shop", "tea", "bar"].map((name) => ({
    name,
    host: `${name}.example`,
    total_active_users: 500,
    origin: "http://10.0.0.1:3000",
  }));
  const TOGETHER = expect.stringContaining("may have 1000 visitors at http://10.0.0.1:3000 together");

  test.each([
    ["two alike", [SHOP, { ...TEA, origin: "http://10.0.0.1:3000/" }], [TOGETHER]],
    ["two of other origins", [SHOP, { ...TEA, origin: "http://10.0.0.2:3000" }], []],
    ["two with a site", [SHOP, { ...TEA, site: "shop" }], []],
    [
      "a site, and two that name none of it",
      [SHOP, { ...TEA, site: "shop" }, BAR, { ...BAR, name: "pub" }],
      [TOGETHER],
    ],
    ["one", [SHOP], []],
  ])("%s", (_, rooms, expected) => {
    expect(warnings({ rooms: rooms as object[] })).toEqual(expected);
  });
});
