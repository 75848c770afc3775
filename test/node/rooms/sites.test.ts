/** Rooms before one origin: their visitors take slots of their own room, and of the site. */

import { expect, test } from "vitest";
import { roomIdOf } from "../../../node/rooms/stored-room.ts";
import { done, MINUTE_MS, RoomShelf, refusalOf, SHOP } from "./room-shelf.ts";

const SITE = { ...SHOP, name: "all", host: "all.example", total_active_users: 5, new_users_per_minute: 5 };
const BAR = { ...SHOP, name: "bar", host: "bar.example", total_active_users: 9, new_users_per_minute: 9, site: "all" };
const TEA = { ...BAR, name: "tea", host: "tea.example" };

function shelfWith(...documents: object[]): RoomShelf {
  const shelf = new RoomShelf();
  for (const document of documents) done(shelf.rooms.create(document));
  return shelf;
}

/** Of so many new visitors of a room, those who are admitted. */
function admitted(shelf: RoomShelf, name: string, visitors: number): number {
  shelf.nowMs += 1;
  return shelf.visit(name, visitors).filter((kind) => kind === "admitted").length;
}

test("the rooms of a site have its slots together, and each of them has all that the others leave", () => {
  const shelf = shelfWith(SITE, BAR, TEA);
  expect([admitted(shelf, "bar", 4), admitted(shelf, "tea", 4), admitted(shelf, "all", 4)]).toEqual([4, 1, 0]);
  expect(shelf.rooms.byName("all")?.admission.inside(shelf.nowMs)).toBe(5);
  expect(admitted(shelfWith(SITE, BAR, TEA), "tea", 9)).toBe(5);
});

test("a room of a site keeps its own limits, too", () => {
  const shelf = shelfWith(SITE, { ...BAR, total_active_users: 2 }, TEA);
  expect([admitted(shelf, "bar", 4), admitted(shelf, "tea", 4)]).toEqual([2, 3]);
});

test("the minute's limit of a site counts the new visitors of all its rooms", () => {
  const shelf = shelfWith({ ...SITE, total_active_users: 100 }, BAR, TEA);
  expect([admitted(shelf, "bar", 3), admitted(shelf, "tea", 3)]).toEqual([3, 2]);
  shelf.nowMs += MINUTE_MS;
  expect(admitted(shelf, "bar", 9)).toBe(5);
});

test("slots of a site come free when sessions of its rooms are over, and are held after a restart until then", () => {
  const shelf = shelfWith(SITE, BAR, TEA);
  admitted(shelf, "bar", 5);
  shelf.save();
  shelf.restart();
  shelf.nowMs += MINUTE_MS;
  expect(admitted(shelf, "tea", 5)).toBe(0);
  shelf.nowMs += 6 * MINUTE_MS;
  expect(admitted(shelf, "bar", 6)).toBe(5);
});

test("the sessions of a room count in its site from when it joins", () => {
  const shelf = shelfWith(SITE, { ...BAR, site: "" }, TEA);
  admitted(shelf, "bar", 3);
  expect(shelf.rooms.byName("all")?.admission.inside(shelf.nowMs)).toBe(0);
  done(shelf.rooms.update("bar", { site: "all" }));
  expect(shelf.rooms.byName("all")?.admission.inside(shelf.nowMs)).toBe(3);
});

const crash = (shelf: RoomShelf): void => shelf.restart();
const save = (shelf: RoomShelf): void => shelf.save();
const remakeSite = (shelf: RoomShelf): void => {
  done(shelf.rooms.remove("all"));
  crash(shelf);
  done(shelf.rooms.create(SITE));
};
const remove = (shelf: RoomShelf): unknown => done(shelf.rooms.remove("bar"));
const to = (site: string) => (shelf: RoomShelf) => done(shelf.rooms.update("bar", { site }));
const make = (site: string) => (shelf: RoomShelf) => done(shelf.rooms.create({ ...BAR, site }));

test.each([
  ["moves to another site", [to("other")]],
  ["moves, and its node crashes before its disk has more than the room", [to("other"), crash]],
  ["moves on, and its node crashes", [to("other"), to(""), save, crash]],
  ["leaves it", [to("")]],
  ["is deleted", [remove]],
  ["is deleted, and its node crashes", [remove, crash]],
  ["is deleted, and its node crashes twice", [remove, crash, save, crash]],
  ["is deleted and made again", [remove, make("all")]],
  ["is deleted and made again elsewhere", [remove, make("other")]],
  ["is deleted, its node crashes, and it is made again elsewhere", [remove, crash, make("other"), crash]],
  ["leaves it, and that is deleted and made again", [to(""), remakeSite]],
  ["leaves it, and that is deleted and made again after a crash", [to(""), remakeSite, crash]],
])("the sessions of a room count in its site until they end, also if the room %s", (_, changes) => {
  const shelf = shelfWith(SITE, { ...SITE, name: "other", host: "other.example" }, BAR);
  expect(admitted(shelf, "bar", 3)).toBe(3);
  shelf.save();
  for (const change of changes) change(shelf);
  shelf.nowMs += 4 * MINUTE_MS;
  const more = admitted(shelf, "all", 6);
  expect(more).toBeLessThanOrEqual(2);
  shelf.nowMs += 4 * MINUTE_MS;
  expect(shelf.rooms.byName("all")?.admission.inside(shelf.nowMs)).toBe(more);
});

test("a site holds what a deleted room held once, however often its node restarts", () => {
  const shelf = shelfWith(SITE, BAR);
  admitted(shelf, "bar", 2);
  shelf.save();
  remove(shelf);
  const held = Array.from({ length: 3 }, () => {
    shelf.restart();
    shelf.save();
    return shelf.rooms.byName("all")?.admission.inside(shelf.nowMs);
  });
  expect(held).toEqual([2, 2, 2]);
});

test("a site that is held holds its rooms, and one that is opened or suspended bounds them no more", () => {
  const shelf = shelfWith(SITE, BAR, TEA);
  done(shelf.rooms.order("all", "hold"));
  expect(admitted(shelf, "bar", 1)).toBe(0);
  done(shelf.rooms.order("all", "open"));
  expect(admitted(shelf, "tea", 9)).toBe(9);
  done(shelf.rooms.order("all", undefined));
  expect(admitted(shelf, "bar", 1)).toBe(0);
  done(shelf.rooms.update("all", { suspended: true }));
  expect(admitted(shelf, "bar", 2)).toBe(2);
});

test("visitors of a room that is opened count in its site", () => {
  const shelf = shelfWith(SITE, BAR, TEA);
  done(shelf.rooms.order("bar", "open"));
  expect([admitted(shelf, "bar", 7), admitted(shelf, "tea", 1)]).toEqual([7, 0]);
});

test("while a site holds new visitors back, so do its rooms", () => {
  const limits = { total_active_users: 1_000, new_users_per_minute: 1_000 };
  const site = { ...SITE, ...limits, ramp: "100/min/50/5" };
  const alone = admitted(shelfWith(site), "all", 50);
  expect(alone).toBeGreaterThan(0);
  const shelf = shelfWith(site, { ...BAR, ...limits }, { ...TEA, ...limits });
  expect(admitted(shelf, "bar", alone - 1) + admitted(shelf, "tea", 50)).toBe(alone);
});

test("a room whose site is not known here admits nobody", () => {
  const shelf = shelfWith(SITE, BAR);
  const stamp = { wallMs: shelf.nowMs, counter: 1, node: "other" as never };
  const register = { firstName: "all", document: undefined, createdMs: shelf.nowMs, stamp };
  const problems = shelf.rooms.follow(roomIdOf("all"), register);
  expect(problems.slice(-1)).toMatchObject([{ path: "room bar.site", problem: "names no room" }]);
  expect(admitted(shelf, "bar", 1)).toBe(0);
});

test("a site is found by its first name, too, and stays while rooms name it", () => {
  const shelf = shelfWith(SITE, BAR);
  done(shelf.rooms.update("all", { name: "everything" }));
  expect(admitted(shelf, "bar", 9)).toBe(5);
  expect(refusalOf(shelf.rooms.remove("everything"))).toMatchObject({ code: "conflict" });
  done(shelf.rooms.remove("bar"));
  done(shelf.rooms.remove("everything"));
});

test.each([
  ["no room", { site: "nothing" }],
  ["the room itself", { site: "bar" }],
  ["a room with a site", { site: "tea" }],
  ["a room that is a member, where slots decide nothing", { slot_policy: "even" }],
])("a site that is %s is refused", (_, change) => {
  const shelf = shelfWith(SITE, TEA);
  expect(refusalOf(shelf.rooms.create({ ...BAR, ...change })).paths).toEqual(["room bar.site"]);
});

test("a room that is a site gets none itself", () => {
  const shelf = shelfWith(SITE, BAR, { ...SHOP, name: "other", host: "other.example" });
  expect(refusalOf(shelf.rooms.update("all", { site: "other" })).paths).toEqual(["room bar.site"]);
});

test("a token names only a site that it sees", () => {
  const shelf = shelfWith(SITE, { ...SITE, name: "own", host: "own.example" });
  const author = { sees: (room: string) => room !== "all" };
  expect(refusalOf(shelf.rooms.create(BAR, author)).paths).toEqual(["room bar.site"]);
  done(shelf.rooms.create({ ...BAR, site: "own" }, author));
});
