/** What is wrong with a request is answered whole, and changes nothing. */

import { describe, expect, test } from "vitest";
import { adminWorld } from "../admin-world.ts";

interface Refused {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly problems?: readonly { path: string; value?: string; problem: string; repair: string }[];
}

const MUSEUM = { name: "museum", host: "museum.example", total_active_users: 5, new_users_per_minute: 3 };
const SALE = { name: "sale", event_start_time: "2026-09-12T10:00:00Z", event_end_time: "2026-09-12T12:00:00Z" };
const LONG = "x".repeat(10 * 1024 * 1024);

/** What is wrong in several places at once. */
const ALL_WRONG = {
  ...{ total_active_users: 0, session_duration: 1_441, x: 1, queueall: true },
  cookie_attributes: { samesite: "none", secure: "never" },
};

/** Paths of the problems; undefined for errors that have none. */
const BAD: readonly (readonly [call: string, body: unknown, status: number, paths?: readonly string[]])[] = [
  [
    "POST /v1/rooms",
    { ...MUSEUM, ...ALL_WRONG },
    422,
    ["cookie_attributes", "queueall", "session_duration", "total_active_users", "x"],
  ],
  [
    "POST /v1/rooms/apply",
    { rooms: [{ ...MUSEUM, total_active_users: 0 }], room: 1 },
    422,
    ["room", "rooms[0].total_active_users"],
  ],
  ["POST /v1/rooms/shop/events", { ...SALE, session_duration: 0, x: 1 }, 422, ["session_duration", "x"]],
  ["POST /v1/rooms", { ...MUSEUM, description: LONG }, 413],
  ["POST /v1/rooms/shop/hold", { x: LONG }, 413],
  ["POST /v1/rooms", { ...MUSEUM, name: "shop" }, 409],
  ["POST /v1/rooms", { ...MUSEUM, host: "SHOP.example", path: "/" }, 422],
  ["PATCH /v1/rooms/shop", { custom_page_html: "{{#x}}" }, 422],
  ["POST /v1/rooms/apply", { rooms: [MUSEUM, { ...MUSEUM, name: "b" }] }, 422],
  ["PATCH /v1/rooms/shoe", { queue_all: true }, 404],
  ["GET /v1/rooms/a%2Fb", undefined, 404],
  ["GET /v1/rooms/..%2Fstatus", undefined, 404],
  ["GET /v1/rooms/%ff%fe", undefined, 404],
  ["GET /v1/rooms/a%00b", undefined, 404],
  ["POST /v1/status", {}, 405],
  ["PATCH /v1/rooms/shop/hold", {}, 405],
  ["POST /v1/rooms/apply?dry_run=yes", { rooms: [MUSEUM] }, 422, ["dry_run"]],
  ["POST /v1/rooms/apply?dry_run=true&dry_run=false", { rooms: [MUSEUM] }, 422, ["dry_run"]],
  ["GET /v1/rooms?page=2&limit=5", undefined, 422, ["limit", "page"]],
  ["POST /v1/rooms/shop/hold", { minutes: 5 }, 422, ["minutes"]],
  ["DELETE /v1/rooms/shop", { really: true }, 422, ["really"]],
  ["POST /v1/lane/rotate", { leaked: "yes", now: true }, 422, ["leaked", "now"]],
  ["POST /v1/rooms/shop/visitors/hello", { action: "find" }, 422, ["visitor"]],
  ["POST /v1/rooms/shop/visitors/4QK7-X2MD", { action: "kick" }, 422, ["action"]],
  ["POST /v1/rooms/shop/visitors/4QK7-X2MD", { action: "put-back" }, 422, ["since"]],
  ["POST /v1/rooms/shop/visitors/4QK7-X2MD", { since: "2026-09-11T11:40:00Z" }, 422, ["since"]],
  ["POST /v1/rooms/shop/visitors/4QK7-X2MD", { action: "block", until: "0m" }, 422, ["until"]],
  ["POST /v1/rooms/shop/visitors/4QK7-X2MD", { until: "12h" }, 422, ["until"]],
  ["POST /v1/rooms/shop/wave", { wave: "a", pause: true, end: true }, 422, ["wave"]],
  ["POST /v1/rooms/shop/wave", { wave: "a b", rate: "5" }, 422, ["rate", "wave"]],
  ["POST /v1/rooms/shop/passes?wave=a", {}, 422, ["wave"]],
  ["POST /v1/rooms/shop/passes?first=7", {}, 422, ["wave"]],
  ["POST /v1/rooms/shop/passes?first=0", {}, 422, ["first"]],
  [
    "POST /v1/rooms/shop/passes",
    { expires: "soon", lane: 10, x: 1 },
    422,
    ["line 1.expires", "line 1.lane", "line 1.x"],
  ],
  ["POST /v1/rooms/shop/passes", "", 422, ["line 1"]],
  ["POST /v1/rooms/shop/passes", '{}\n{"key":"a","key":"b"}\n', 422, ["line 2"]],
  ["POST /v1/rooms/shop/rollout", { stop: true, back: true }, 422, ["to"]],
  ["POST /v1/rooms/shop/rollout", { to: 5, percent: 3 }, 422, ["percent", "to"]],
  ["POST /v1/forget", { nodes: [], timeout_seconds: 0, x: 1 }, 422, ["nodes", "timeout_seconds", "x"]],
  ["POST /v1/preview", { custom_page_html: 5, name: "x" }, 422, ["custom_page_html", "name"]],
  ["PATCH /v1/rooms/shop", "{not json", 400],
  ["PATCH /v1/rooms/shop", '{"total_active_users":7,"total_active_users":9}', 400],
  ["POST /v1/rooms/shop/hold", { soldout: true }, 422, ["soldout"]],
  ["PATCH /v1/rooms/shop", "", 400],
  ["PATCH /v1/rooms/shop", [], 422, [""]],
  ["POST /v1/rooms", null, 422, [""]],
  ["POST /v1/forget", '"gate3"', 422, [""]],
  ["PATCH /v1/rooms/shop", "[".repeat(1_000), 400],
];

describe("bad input", () => {
  test.each(BAD.map(([call, body, status, paths]) => ({ call, body, status, paths })))(
    "$call: $status $paths",
    async ({ call, body, status, paths }) => {
      const [method = "", path = ""] = call.split(" ");
      const { ask, world } = adminWorld();
      const before = await (await ask("GET", "/v1/rooms")).text();
      const answer = await ask(method, path, body);
      expect([answer.status, answer.headers.get("Content-Type")]).toEqual([status, "application/problem+json"]);
      const problem = (await answer.json()) as Refused;
      expect(problem.status).toBe(status);
      expect(problem.type).toBe(`urn:anteroom:problem:${problem.code}`);
      if (status === 409) expect(problem.code).toBe("exists");
      expect(problem.title).not.toBe("");
      expect(problem.detail).toMatch(/^Cannot /);
      expect(problem.instance).toBe(new URL(path, "http://localhost").pathname);
      expect(JSON.stringify(problem).length).toBeLessThan(10_000);
      if (paths !== undefined) expect(problem.problems?.map((each) => each.path).sort()).toEqual([...paths].sort());
      for (const each of problem.problems ?? []) expect([each.problem, each.repair]).not.toContain("");
      expect(await (await ask("GET", "/v1/rooms")).text()).toBe(before);
      expect(world.rooms.laneGeneration).toBe(1);
    },
  );

  test.each([
    ["PATCH", "/v1/rooms/shop"],
    ["POST", "/v1/forget"],
  ])("a body that is deep, broken or of nothing costs little: %s %s", async (method, path) => {
    const { ask } = adminWorld();
    for (const body of [
      ...["[".repeat(21) + "]".repeat(21), "[".repeat(1_000_000) + "]".repeat(1_000_000), "[".repeat(1_000_000)],
      ...['{"name":'.repeat(100_000), "{", '"', "5", `"${'\\"'.repeat(500_000)}`, '{"__proto__":{"to":"x"}}'],
    ])
      expect([body.slice(0, 20), Math.floor((await ask(method, path, body)).status / 100)]).toEqual([
        body.slice(0, 20),
        4,
      ]);
  });

  test("a known path says which methods it has", async () => {
    const { ask } = adminWorld();
    const allowed = async (path: string) => (await ask("OPTIONS", path)).headers.get("Allow");
    expect(await allowed("/v1/rooms")).toBe("GET, HEAD, POST");
    expect(await allowed("/v1/rooms/shop")).toBe("GET, HEAD, PATCH, DELETE");
    expect(await allowed("/v1/rooms/apply")).toBe("GET, HEAD, PATCH, DELETE, POST");
    expect(await allowed("/v1/openapi.json")).toBe("GET, HEAD");
    expect(await allowed("/v1/nothing")).toBe(null);
  });
});
