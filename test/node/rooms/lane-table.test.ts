import fc from "fast-check";
import { expect, test } from "vitest";
import type { RoomId } from "../../../mesh/core/ids.ts";
import { LANE_PATH_CHARACTERS, type LaneHost, laneHosts, laneObstacle } from "../../../node/rooms/lane-table.ts";
import { RouteTable } from "../../../node/rooms/match.ts";
import { GateWorld, SHOP } from "../gate/gate-world.ts";
import { hostilePaths, KNOWN_BYPASSES } from "../gate/hostile-paths.ts";

const CHARACTERS = new RegExp(`^/[${LANE_PATH_CHARACTERS}]*$`);

/** What every snippet does: the room to which the lane takes a path, or undefined. */
function laneRoom({ isUniform, routes }: LaneHost, path: string): string | undefined {
  if (isUniform) return routes[0]?.room;
  const isPlain = CHARACTERS.test(path) && !/\/\/|\/\.|\.(?:\/|$)/.test(path);
  const first = routes.find(({ read }) => `${path.toLowerCase()}/`.startsWith(`${read}/`));
  if (!isPlain || first?.written === undefined) return undefined;
  return `${path}/`.startsWith(`${first.written}/`) ? first.room : undefined;
}

const routes = (paths: readonly string[], host = "*") => paths.map((path) => ({ host, path, value: path as RoomId }));

test.each([
  [["/shop", "/shop/vip"]],
  [["/", "/shop", "/static"]],
  [["/Shop", "/shop/VIP", "/"]],
  [["/", "/ｓhop", "/x"]],
  [["/", "/shop/caf\u00e9", "/shop"]],
  [["/", "/shop", "/SHOP/vip"]],
])("the lane takes a path to the room that the gate finds, or to none: %j", (paths) => {
  const table = new RouteTable(routes(paths));
  const [host] = laneHosts(table);
  if (host === undefined) throw new Error("No host");
  const plain = fc
    .array(fc.constantFrom("shop", "SHOP", "Shop", "vip", "VIP", "x", "static", "a.b", "caf", "shopping"), {
      maxLength: 4,
    })
    .map((names) => `/${names.join("/")}`);
  const property = fc.property(fc.oneof(hostilePaths, plain), (path) => {
    const room = laneRoom(host, path);
    if (room !== undefined) expect([path, room]).toEqual([path, table.find("h", path)]);
  });
  fc.assert(property, { numRuns: 1_500 });
  for (const path of KNOWN_BYPASSES) expect(laneRoom(host, path)).toBeUndefined();
});

test("the lane takes the paths that browsers send", () => {
  const [host] = laneHosts(new RouteTable(routes(["/", "/shop", "/shop/vip"])));
  if (host === undefined) throw new Error("No host");
  const taken = ["/", "/About", "/shop", "/shop/", "/shop/A-1.html", "/shop/vip/x", "/shopping", "/a.b/c"];
  expect(taken.map((path) => laneRoom(host, path))).toEqual([
    "/",
    "/",
    "/shop",
    "/shop",
    "/shop",
    "/shop/vip",
    "/",
    "/",
  ]);
});

test("a host that is named hides the rooms of all hosts as far as the gate does", () => {
  const table = new RouteTable([...routes(["/shop/vip", "/"]), ...routes(["/shop"], "a.example")]);
  const hosts = laneHosts(table);
  expect(hosts.map(({ host }) => host)).toEqual(["a.example", "*"]);
  const [named, others] = hosts;
  if (named === undefined || others === undefined) throw new Error("No host");
  for (const path of ["/shop/vip", "/shop", "/x"]) {
    expect(laneRoom(named, path)).toBe(table.find("a.example", path));
    expect(laneRoom(others, path)).toBe(table.find("b.example", path));
  }
});

test("rooms in which the gate has a say in each request take no part", () => {
  const room = (fields: object) => new GateWorld({ rooms: [{ ...SHOP, ...fields }] }).room().room;
  expect(laneObstacle(room({}))).toBeUndefined();
  expect(laneObstacle(room({ origin: "http://a.internal" }))).toBeUndefined();
  expect(laneObstacle(room({ origin: "http://a.internal/base" }))).toContain("path");
  expect(laneObstacle(room({ enabled_origin_commands: ["revoke"] }))).toContain("may give commands");
  const rule = { expression: "ssl", action: "block" };
  expect(laneObstacle(room({ rules: [rule] }))).toContain("a rule that blocks");
  expect(laneObstacle(room({ rules: [{ ...rule, action: "queue" }] }))).toBeUndefined();
  expect(
    laneObstacle({
      ...room({}),
      rollout: { from: [{ url: "http://b", weight: 1 }], startedMs: 0, state: "running", percent: 0, reason: "" },
    }),
  ).toContain("several");
});
