import { describe, expect, test } from "vitest";
import { checkOrigins, checkRooms } from "../../../node/config/check-rooms.ts";
import { parseRooms } from "../../../node/config/rooms-file.ts";
import { parseYaml } from "../../../node/config/yaml-text.ts";
import { roomOf } from "./documents.ts";

const LIMITS = { total_active_users: 5, new_users_per_minute: 5 };

describe("a rooms file", () => {
  test("is YAML", () => {
    const text =
      "rooms:\n  - name: shop\n    host: a.example\n    total_active_users: 5\n    new_users_per_minute: 5\n";
    expect(names(text)).toEqual(["shop"]);
  });

  test("is JSON, also with tabs", () => {
    expect(names(JSON.stringify({ rooms: [{ name: "shop", host: "*", ...LIMITS }] }, null, "\t"))).toEqual(["shop"]);
  });

  test("may share values by anchors", () => {
    const text = `rooms:
  - &shop {name: shop, host: a.example, total_active_users: 5, new_users_per_minute: 5, bypass_cidrs: &lan [10.0.0.0/8]}
  - {name: b, host: b.example, total_active_users: 5, new_users_per_minute: 5, bypass_cidrs: *lan}`;
    expect(names(text)).toEqual(["shop", "b"]);
  });

  test("may share fields by merge keys, from a place of its own", () => {
    const text = `x-limits: &limits {total_active_users: 5, new_users_per_minute: 5}
rooms:
  - {<<: *limits, name: shop, host: a.example}
  - {<<: [*limits, {queue_max: 7}], name: b, host: b.example, total_active_users: 9}`;
    const data = parseYaml(text);
    const rooms = parseRooms(data.ok ? data.value : undefined);
    const read = rooms.ok ? rooms.value.map((room) => [room.name, room.totalActiveUsers, room.queueMax]) : rooms;
    expect(read).toEqual([
      ["shop", 5, 1_000_000],
      ["b", 9, 7],
    ]);
  });

  test("may hold no rooms", () => expect(names("rooms: []")).toEqual([]));

  test.each([
    ["", "", "has no rooms"],
    ["- name: a", "", "has no rooms"],
    ["name: a\nhost: b", "name", "is not a known key"],
    ["rooms:", "rooms", "is not a list"],
    ["rooms: shop", "rooms", "is not a list"],
    ["room: []", "room", "is not a known key"],
    ["rooms: []\nrooms: []", "line 2, column 1", "the key occurs twice in one mapping"],
    ["rooms:\n  - name: a\n    name: b", "line 3, column 5", "the key occurs twice in one mapping"],
    ["rooms:\n  - <<: *gone\n    name: a", "line 2, column 9", "*gone stands for nothing"],
    ["rooms:\n  - host: *later\nx-hosts: &later [a.example]", "line 2, column 11", "*later stands for nothing"],
    ["rooms:\n\t- a", "line 2, column 1", "is not YAML"],
    ["rooms: [", "line 1, column 9", "is not YAML"],
    ["rooms: &r [*r]", "line 1, column 12", "*r stands for what it lies in"],
    ["rooms: &r\n  - {name: a, additional_routes: *r}", "line 2, column 34", "*r stands for what it lies in"],
    ["rooms: &r {<<: *r}", "line 1, column 16", "*r stands for what it lies in"],
    ["rooms: *nothing", "line 1, column 8", "*nothing stands for nothing"],
    ["rooms: !!js/function x", "line 1, column 8", "is not YAML"],
    [
      "a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]",
      "",
      "Excessive alias",
    ],
  ])("%j: at %j it %s", (text, path, problem) => {
    const [first] = problems(text);
    expect(first?.path).toBe(path);
    expect(first?.problem).toContain(problem);
  });

  test("reports the problems of all rooms, and those between them, at once", () => {
    const text = `rooms:
  - {name: shop, host: a.example, total_active_users: 0, new_users_per_minute: 5}
  - {name: shop, host: A.example, path: "", total_active_users: 5, new_users_per_minute: 5}
  - {name: other, host: a.EXAMPLE, total_active_users: 5, new_user_per_minute: 5}
  - 7`;
    expect(problems(text).map(({ path, problem }) => `${path} ${problem}`)).toEqual([
      "rooms[0].total_active_users is below 1",
      "rooms[1].path does not start with /",
      "rooms[2].new_users_per_minute is missing",
      "rooms[2].new_user_per_minute is not a known field",
      "rooms[3] is a number, not a group of fields",
      "rooms[1].name is the name of rooms[0] too",
      "rooms[2] is a route of two rooms, shop (rooms[0]) and other",
    ]);
  });
});

describe("rooms side by side", () => {
  test("need names of their own", () => {
    expect(checkRooms([room("a", "a"), room("b", "b"), room("a", "c")])).toMatchObject([
      { path: "rooms[2].name", value: '"a"', problem: "is the name of rooms[0] too" },
    ]);
  });

  test.each([
    ["a.example/", "A.EXAMPLE/", true],
    ["a.example/x", "a.example/x/", true],
    ["a.example/x", "a.example/X", true],
    ["a.example/x", "a.example/x/y", false],
    ["a.example/x", "a.example/xy", false],
    ["*/", "a.example/", false],
    ["*/", "*/", true],
  ])("%s and %s clash: %s", (first, second, clash) => {
    const [one, two] = [first, second].map((route, index) => {
      const [host = "", path = ""] = route.split(/(?=\/)/, 2);
      return room(`room-${index}`, host, { path: path + route.slice(host.length + path.length) });
    });
    if (one === undefined || two === undefined) throw new Error("two rooms wanted");
    const found = checkRooms([one, two]);
    expect(found.length).toBe(clash ? 1 : 0);
    if (clash) expect(found[0]?.problem).toMatch(/room-0.*room-1/);
  });

  test("clash over additional routes as well, also within one room", () => {
    const routes = { additional_routes: [{ host: "b", path: "/x" }, { host: "a" }] };
    expect(
      checkRooms([room("b", "b", { path: "/X/" }), room("a", "a", routes)]).map(({ path, problem }) => [path, problem]),
    ).toEqual([
      ["rooms[1].additional_routes[0]", "is a route of two rooms, b (rooms[0]) and a"],
      ["rooms[1].additional_routes[1]", "is twice among the routes of a (rooms[1])"],
    ]);
  });

  test("do not clash within a room over paths that differ in capitals", () => {
    const routes = ["/SHOP", "/Shop"].map((path) => ({ host: "a", path }));
    expect(checkRooms([room("a", "a", { path: "/shop", additional_routes: routes })])).toEqual([]);
    expect(checkRooms([room("a", "a", { path: "/shop", additional_routes: [...routes, ...routes] })])).toHaveLength(2);
  });

  test("need an origin of their own where the node has none", () => {
    const rooms = [room("a", "a"), room("b", "b", { origin: "http://b" })];
    expect(checkOrigins(rooms, "http://node")).toEqual([]);
    expect(checkOrigins(rooms, undefined)).toMatchObject([{ path: "rooms[0].origin" }]);
  });
});

const room = (name: string, host: string, fields: object = {}) => roomOf({ name, host, ...LIMITS, ...fields });

function roomsOf(text: string) {
  const data = parseYaml(text);
  return data.ok ? parseRooms(data.value) : data;
}

function names(text: string) {
  const rooms = roomsOf(text);
  return rooms.ok ? rooms.value.map(({ name }) => name) : rooms.problems;
}

function problems(text: string) {
  const rooms = roomsOf(text);
  return rooms.ok ? [] : rooms.problems;
}
