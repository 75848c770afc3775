/** Rules of a waiting room by Cloudflare's SDK, and what the gate then does. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CloudflareWorld, failure, idOf, present, SHOP, ZONE } from "./cloudflare-world.ts";

let cloudflare: CloudflareWorld;
let room: string;
const rules = () => cloudflare.client.waitingRooms.rules;
const at = (fields: object = {}) => ({ zone_id: ZONE, waiting_room_id: room, ...fields }) as never;

beforeEach(async () => {
  cloudflare = new CloudflareWorld();
  room = idOf(present(await cloudflare.client.waitingRooms.create({ ...SHOP, queue_all: true })));
});
afterEach(() => {
  expect(cloudflare.schemaFaults()).toEqual([]);
});

const rule = (path: string, fields: object = {}) =>
  ({ action: "bypass_waiting_room", expression: `http.request.uri.path starts_with "${path}"`, ...fields }) as const;
const create = async (path: string, fields: object = {}) =>
  (await rules().create(room, { zone_id: ZONE, rules: rule(path, fields) })).result;
const list = async () => (await rules().get(room, { zone_id: ZONE })).result;
const pathsOf = (all: readonly { expression?: string }[]) =>
  all.map(({ expression }) => /"(.*)"/.exec(expression ?? "")?.[1]);
const ids = async () => (await list()).map(idOf);

test("a rule is created with its defaults, and the gate lets pass what it matches", async () => {
  const visit = async (target: string) => (await cloudflare.world.ask({ target })).kind;
  expect(await visit("/api/x")).toBe("answer");
  const [created] = await create("/api/");
  expect(created).toMatchObject({ ...rule("/api/"), description: "", enabled: true, version: "1" });
  expect([await visit("/api/x"), await visit("/shop")]).toEqual(["forward", "answer"]);
  const id = idOf(created ?? {});
  cloudflare.world.nowMs += 1_000;
  const [off] = (await rules().edit(id, at({ ...rule("/api/"), enabled: false }))).result;
  expect(off).toMatchObject({ id, enabled: false, version: "2", last_updated: "2026-09-11T11:45:01.000Z" });
  expect((await rules().delete(id, at())).result).toEqual([]);
});

describe("the order", () => {
  beforeEach(async () => {
    for (const path of ["/a", "/b", "/c", "/d"]) await create(path);
  });

  const MOVES: readonly (readonly [rule: number, position: (ids: string[]) => object, order: string])[] = [
    [3, () => ({ index: 1 }), "d a b c"],
    [0, () => ({ index: 4 }), "b c d a"],
    [0, () => ({ index: 2 }), "b a c d"],
    [2, () => ({ index: 3 }), "a b c d"],
    [3, (all) => ({ before: all[1] }), "a d b c"],
    [0, (all) => ({ before: all[3] }), "b c a d"],
    [3, () => ({ before: "" }), "d a b c"],
    [0, (all) => ({ after: all[1] }), "b a c d"],
    [3, (all) => ({ after: all[0] }), "a d b c"],
    [0, () => ({ after: "" }), "b c d a"],
  ];

  test.each(MOVES)("rule %i moves", async (index, position, order) => {
    const before = await ids();
    const moved = before[index] ?? "";
    const body = { ...rule(`/${"abcd"[index]}`), position: position(before) };
    const all = (await rules().edit(moved, at(body))).result;
    expect(pathsOf(all)).toEqual(order.split(" ").map((name) => `/${name}`));
    expect(await ids()).toEqual(order.split(" ").map((name) => before["abcd".indexOf(name)]));
    expect(all.every(({ version }) => version === "1")).toBe(true);
  });

  const BAD: readonly unknown[] = [
    ...[{ index: 0 }, { index: 5 }, { index: 1.5 }, { index: "1" }, { index: 1, before: "" }, { first: true }],
    ...[{ before: "nobody" }, { after: 7 }, {}, [], 3, null],
  ];
  test.each(BAD)("a position of %j is refused", async (position) => {
    const before = cloudflare.snapshot();
    const [id = ""] = await ids();
    const { status, errors } = await failure(rules().edit(id, at({ ...rule("/a"), position })));
    expect([status, errors.every(({ source }) => source?.pointer.startsWith("/position"))]).toEqual([400, true]);
    expect(cloudflare.snapshot()).toBe(before);
  });
});

test("a put replaces all rules in their order; a rule that stays keeps its id", async () => {
  await create("/a");
  await create("/b");
  const [a, b] = await ids();
  const put = async (all: readonly object[]) =>
    (await rules().update(room, { zone_id: ZONE, rules: all as never })).result;
  const replaced = await put([rule("/c"), rule("/b"), rule("/a", { description: "first" })]);
  expect(pathsOf(replaced)).toEqual(["/c", "/b", "/a"]);
  expect(replaced.slice(1).map(idOf)).toEqual([b, a]);
  expect(replaced.map(({ version }) => version)).toEqual(["1", "1", "2"]);
  expect(await put(replaced)).toEqual(replaced);
  const changed = await put(replaced.map((each, index) => (index === 0 ? { ...each, ...rule("/z") } : each)));
  expect(changed[0]).toMatchObject({ id: replaced[0]?.id, version: "2" });
  expect(await put([])).toEqual([]);
  expect(await list()).toEqual([]);
});

test("equal rules have ids of their own, also where nothing is kept of them", async () => {
  cloudflare.world.rooms.update(`${ZONE}:shop`, { rules: [rule("/a"), rule("/a")] });
  const [one, two] = await ids();
  expect(one).not.toBe(two);
  await rules().edit(two ?? "", at({ ...rule("/a"), description: "the second" }));
  expect((await list()).map(({ description }) => description)).toEqual(["", "the second"]);
  expect(await ids()).toEqual([one, two]);
});

test("a rule that queues is shown as a bypass that is off, and is not switched on unasked", async () => {
  const queue = rule("/vip", { anteroom: { action: "queue" } });
  const [created] = await create("/vip", { anteroom: { action: "queue" } });
  expect(created).toMatchObject({
    action: "bypass_waiting_room",
    enabled: false,
    anteroom: { action: "queue", enabled: true },
  });
  const declared = () => cloudflare.world.room(`${ZONE}:shop`).declared.rules;
  expect(declared()).toMatchObject([{ action: "queue", enabled: true }]);
  const [again] = (await rules().update(room, { zone_id: ZONE, rules: [created] as never })).result;
  expect(again).toEqual(created);
  const id = idOf(created ?? {});
  const { errors } = await failure(rules().edit(id, at({ ...rule("/vip"), enabled: true })));
  expect(errors.map(({ source }) => source?.pointer)).toEqual(["/enabled"]);
  await rules().edit(id, at({ ...rule("/vip"), description: "still queues" }));
  expect(declared()).toMatchObject([{ action: "queue", enabled: true, description: "still queues" }]);
  await rules().edit(id, at({ ...queue, anteroom: { action: "bypass_waiting_room" } }));
  expect(declared()).toMatchObject([{ action: "bypass_waiting_room", enabled: true }]);
});

describe("what is refused changes nothing, and says all", () => {
  const BAD: readonly (readonly [why: string, body: unknown, pointers: readonly string[]])[] = [
    ["another action", { ...rule("/a"), action: "block" }, ["/action"]],
    ["no action", { expression: "ip.src in {10.0.0.0/8}" }, ["/action"]],
    ["no expression", { action: "bypass_waiting_room" }, ["/expression"]],
    ["an expression that cannot be read", { ...rule("/a"), expression: "ip.src in {" }, ["/expression"]],
    ["unknown fields", { ...rule("/a"), ref: "x", anteroom: { act: 1 } }, ["/ref", "/anteroom/act"]],
    ["wrong types", { ...rule("/a"), enabled: "yes", description: 5 }, ["/description", "/enabled"]],
    ["all at once", { ...rule("/a"), action: "block", enabled: 1, ref: 2 }, ["/action", "/enabled", "/ref"]],
  ];
  test.each(BAD)("%s", async (_why, body, pointers) => {
    const before = cloudflare.snapshot();
    const { status, errors } = await failure(rules().create(room, { zone_id: ZONE, rules: body as never }));
    expect([status, errors.map(({ source }) => source?.pointer).sort()]).toEqual([400, [...pointers].sort()]);
    const put = await failure(rules().update(room, { zone_id: ZONE, rules: [rule("/ok"), body] as never }));
    expect(put.errors.map(({ source }) => source?.pointer).sort()).toEqual(pointers.map((each) => `/1${each}`).sort());
    expect(cloudflare.snapshot()).toBe(before);
  });

  test("a list where one rule is due, one rule where a list is due, and too many", async () => {
    const before = cloudflare.snapshot();
    for (const call of [
      rules().create(room, { zone_id: ZONE, rules: [rule("/a")] as never }),
      rules().update(room, { zone_id: ZONE, rules: rule("/a") as never }),
      rules().update(room, { zone_id: ZONE, rules: Array.from({ length: 101 }, (_, at) => rule(`/${at}`)) as never }),
    ])
      expect((await failure(call)).status).toBe(400);
    expect(cloudflare.snapshot()).toBe(before);
  });

  test("rules that there are not", async () => {
    const before = cloudflare.snapshot();
    for (const call of [rules().edit("nobody", at(rule("/a"))), rules().delete("nobody", at())])
      expect((await failure(call)).status).toBe(404);
    expect(cloudflare.snapshot()).toBe(before);
  });
});
