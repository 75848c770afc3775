import { describe, expect, test } from "vitest";
import { orderKey } from "../../../mesh/core/replica/register-keys.ts";
import { ROOM_BYTES_MAX, ROOMS_MAX } from "../../../mesh/core/wire/shapes.ts";
import { ADMISSION } from "../../../node/admission/mesh/stored-room.ts";
import type { Room } from "../../../node/config/room.ts";
import { roomDocument } from "../../../node/config/room-document.ts";
import { ALL_ROOMS_BYTES_MAX, documentBytes } from "../../../node/config/room-size.ts";
import { parseRooms } from "../../../node/config/rooms-file.ts";
import { startedRollout } from "../../../node/origin/rollout.ts";
import { apiDocument } from "../../../node/rooms/api-room.ts";
import { LiveRoom } from "../../../node/rooms/live-room.ts";
import { placed } from "../../../node/rooms/room-ids.ts";
import { orderIn, orderRegister } from "../../../node/rooms/room-order.ts";
import { UNREADABLE } from "../../../node/rooms/rooms.ts";
import { roomIdOf } from "../../../node/rooms/stored-room.ts";
import { roomOf } from "../config/documents.ts";
import { SELF } from "../peer/lone-peer.ts";
import { done, MINUTE_MS, RoomShelf, refusalOf, SHOP, START_MS } from "./room-shelf.ts";

const BAR = { ...SHOP, name: "bar", host: "bar.example" };

function nameAt(shelf: RoomShelf, host: string, target = "/"): string | undefined {
  const found = shelf.rooms.find(host, target);
  return found instanceof LiveRoom ? found.room.name : undefined;
}

/** Whose register it is, and what is unusual in it. */
interface Unusual {
  readonly name?: string;
  readonly firstName?: string;
  readonly createdMs?: number;
}

/** What another node writes of a room: a document, a text that is none, or undefined for a removal. */
function written(shelf: RoomShelf, document: object | string | undefined, { name = "shop", ...change }: Unusual = {}) {
  const text = typeof document === "object" ? JSON.stringify(document) : document;
  const register = { firstName: name, document: text, createdMs: START_MS, ...change };
  return shelf.peer.replica.setRegister(roomIdOf(name), register, shelf.nowMs);
}

/** The same come in here; returns the problems with it. */
function heard(shelf: RoomShelf, document: object | string | undefined, change: Unusual = {}) {
  return shelf.rooms.follow(roomIdOf(change.name ?? "shop"), written(shelf, document, change));
}

function shelfWith(...documents: object[]): RoomShelf {
  const shelf = new RoomShelf();
  for (const document of documents) done(shelf.rooms.create(document));
  return shelf;
}

describe("a room", () => {
  test("done, is found by its routes and its name", () => {
    const shelf = shelfWith({ ...SHOP, additional_routes: [{ host: "*", path: "/sale" }] });
    expect(nameAt(shelf, "shop.example")).toBe("shop");
    expect(nameAt(shelf, "other.example", "/sale/today")).toBe("shop");
    expect(nameAt(shelf, "other.example")).toBeUndefined();
    expect(shelf.rooms.byName("shop")?.id).toBe(roomIdOf("shop"));
  });

  test("has an id that depends on its first name only, and keeps it when renamed", () => {
    const shelf = shelfWith(SHOP);
    const { id } = done(shelf.rooms.update("shop", { name: "store" }));
    expect(id).toBe(roomIdOf("shop"));
    expect(shelf.rooms.byName("shop")).toBeUndefined();
    shelf.restart();
    expect(shelf.rooms.byName("store")?.id).toBe(id);
  });

  test("in a namespace is another one than its namesake elsewhere, also after a restart", () => {
    const [one, other] = [
      { ...SHOP, name: "one:shop", host: "one.example" },
      { ...SHOP, name: "other:shop", host: "other.example" },
    ];
    const shelf = shelfWith(SHOP, one, other);
    done(shelf.rooms.update("one:shop", { description: "of one" }));
    shelf.restart();
    expect(shelf.rooms.unreadable).toEqual([]);
    expect(shelf.rooms.all().map(({ room }) => [room.name, room.description])).toEqual(
      expect.arrayContaining([
        ["shop", ""],
        ["one:shop", "of one"],
        ["other:shop", ""],
      ]),
    );
    const live = ["shop", "one:shop", "other:shop"].map((name) => shelf.rooms.byName(name));
    expect(new Set(live.map((each) => each?.id)).size).toBe(3);
    expect(new Set(live.map((each) => each?.cookieName)).size).toBe(3);
  });

  test("removed, has no routes and no name any more, also after a restart", () => {
    const shelf = shelfWith(SHOP, BAR);
    done(shelf.rooms.remove("shop"));
    for (let time = 0; time < 2; time++) {
      expect(nameAt(shelf, "shop.example")).toBeUndefined();
      expect(shelf.rooms.all().map(({ room }) => room.name)).toEqual(["bar"]);
      shelf.restart();
    }
  });
});

describe("a room removed and created again", () => {
  test("continues with them also when the process was started again in between", () => {
    const shelf = shelfWith(SHOP);
    shelf.visit("shop", 4);
    shelf.tick();
    done(shelf.rooms.remove("shop"));
    shelf.restart();
    const live = done(shelf.rooms.create(SHOP));
    expect([live.admission.inside(shelf.nowMs), live.admission.waiting]).toEqual([3, 1]);
  });

  test("is kept with its record while it is away", () => {
    const shelf = shelfWith(SHOP, BAR);
    done(shelf.rooms.remove("shop"));
    expect(shelf.rooms.kept().map(({ room }) => room.name)).toEqual(["bar", "shop"]);
    done(shelf.rooms.create(SHOP));
    expect(shelf.rooms.kept().map(({ room }) => room.name)).toEqual(["bar", "shop"]);
    expect(shelf.rooms.all().length).toBe(2);
  });
});

describe("after a restart", () => {
  test("the line of a room that was held from the start continues, though it never admitted a visitor", () => {
    const shelf = shelfWith({ ...SHOP, queue_all: true });
    shelf.visit("shop", 5);
    shelf.tick();
    shelf.restart();
    expect(shelf.store.entries().has(ADMISSION.at(roomIdOf("shop")))).toBe(false);
    expect(shelf.rooms.byName("shop")?.admission.waiting).toBe(5);
  });

  test("a stored room that can't be read is reported, and continues with its sessions when created again", () => {
    const shelf = shelfWith(SHOP);
    shelf.visit("shop", 3);
    written(shelf, { ...SHOP, total_active_users: 0 });
    shelf.save();
    shelf.restart();
    expect(shelf.rooms.all()).toEqual([]);
    expect(shelf.rooms.unreadable.flatMap(({ problems }) => problems.map(({ path }) => path))).toEqual([
      "room shop.total_active_users",
    ]);
    expect(done(shelf.rooms.create(SHOP)).admission.inside(shelf.nowMs)).toBe(3);
  });
});

describe("rooms applied together", () => {
  test("are done, updated or left as they are, and others are left alone", () => {
    const shelf = shelfWith(SHOP, BAR, { ...SHOP, name: "pub", host: "pub.example" });
    const rooms = [SHOP, { ...BAR, total_active_users: 9 }, { ...SHOP, name: "zoo", host: "zoo.example" }].map(roomOf);
    expect(done(shelf.rooms.apply(rooms))).toEqual([
      { name: "shop", outcome: "unchanged" },
      { name: "bar", outcome: "updated", changes: [{ field: "total_active_users", from: "3", to: "9" }] },
      { name: "zoo", outcome: "created" },
    ]);
    expect(shelf.rooms.all().map(({ room }) => room.name)).toEqual(["shop", "bar", "pub", "zoo"]);
  });

  test("take routes over from each other in one step", () => {
    const shelf = shelfWith(SHOP, BAR);
    const swapped = [roomOf({ ...SHOP, host: "bar.example" }), roomOf({ ...BAR, host: "shop.example" })];
    done(shelf.rooms.apply(swapped));
    expect([nameAt(shelf, "shop.example"), nameAt(shelf, "bar.example")]).toEqual(["bar", "shop"]);
  });

  test("are applied all or not at all", () => {
    const shelf = shelfWith(SHOP);
    const rooms = [
      { ...SHOP, total_active_users: 9 },
      { ...BAR, host: "shop.example" },
    ].map(roomOf);
    expect(refusalOf(shelf.rooms.apply(rooms))).toMatchObject({ code: "invalid", paths: ["room bar"] });
    expect(shelf.rooms.byName("shop")?.room.totalActiveUsers).toBe(3);
    expect(shelf.rooms.byName("bar")).toBeUndefined();
    shelf.restart();
    expect(shelf.rooms.all().map(({ room }) => [room.name, room.totalActiveUsers])).toEqual([["shop", 3]]);
  });

  test("are stored by one commit", () => {
    const shelf = new RoomShelf();
    done(shelf.rooms.apply([roomOf(SHOP), roomOf(BAR)]));
    expect(shelf.commits).toBe(1);
    done(shelf.rooms.apply([roomOf(SHOP), roomOf(BAR)]));
    expect(shelf.commits).toBe(1);
  });

  test("are refused where two are one room, by its first name and by its name of now", () => {
    const shelf = shelfWith(SHOP);
    done(shelf.rooms.update("shop", { name: "store" }));
    const rooms = [roomOf(SHOP), roomOf({ ...SHOP, name: "store", host: "store.example" })];
    expect(refusalOf(shelf.rooms.apply(rooms)).paths).toContain("room store.name");
  });
});

describe("a change made at another node", () => {
  test("makes a room, changes it and removes it here, its sessions kept", () => {
    const shelf = new RoomShelf();
    expect(heard(shelf, SHOP)).toEqual([]);
    expect(shelf.visit("shop", 4)).toEqual(["admitted", "admitted", "admitted", "waiting"]);
    heard(shelf, { ...SHOP, host: "store.example", total_active_users: 9 });
    expect([nameAt(shelf, "shop.example"), nameAt(shelf, "store.example")]).toEqual([undefined, "shop"]);
    expect(shelf.rooms.byName("shop")?.room.totalActiveUsers).toBe(9);
    heard(shelf, undefined);
    expect([nameAt(shelf, "store.example"), shelf.rooms.all()]).toEqual([undefined, []]);
    heard(shelf, SHOP);
    expect(shelf.rooms.byName("shop")?.admission.inside(shelf.nowMs)).toBe(3);
  });

  test("that this version can't read is reported, and the room stays as it was", () => {
    const shelf = shelfWith(SHOP);
    const problems = heard(shelf, { ...SHOP, total_active_users: 0 });
    expect(problems.map(({ path }) => path)).toEqual(["room shop.total_active_users"]);
    expect(shelf.rooms.byName("shop")?.room.totalActiveUsers).toBe(3);
  });

  test("that clashes with a room here applies, and is reported", () => {
    const shelf = shelfWith(SHOP);
    const problems = heard(shelf, { ...BAR, host: "shop.example" }, { name: "bar" });
    expect(problems.map(({ path }) => path)).toEqual(["room bar"]);
    expect(shelf.rooms.all().map(({ room }) => room.name)).toEqual(["shop", "bar"]);
  });
});

describe("a change is refused", () => {
  test("if there is no room of the name, those there are named", () => {
    const { rooms } = shelfWith(SHOP, BAR);
    expect(refusalOf(rooms.update("pub", {})).message).toContain("shop, bar");
    expect(refusalOf(new RoomShelf().rooms.remove("pub")).message).toContain("none");
  });

  test("if another room has the route, or gets the name", () => {
    const shelf = shelfWith(SHOP, BAR);
    expect(refusalOf(shelf.rooms.update("bar", { host: "shop.example" })).code).toBe("invalid");
    expect(refusalOf(shelf.rooms.update("bar", { name: "shop" })).code).toBe("invalid");
    expect(nameAt(shelf, "bar.example")).toBe("bar");
  });

  test("if the name is the first name of a room that was renamed: its sessions stand under it", () => {
    const shelf = shelfWith(SHOP);
    done(shelf.rooms.update("shop", { name: "store" }));
    const { code, paths } = refusalOf(shelf.rooms.create({ ...BAR, name: "shop" }));
    expect([code, paths[0]]).toEqual(["invalid", "room shop.name"]);
  });

  test("if neither room nor node names an origin", () => {
    const shelf = new RoomShelf({ origin: undefined });
    expect(refusalOf(shelf.rooms.create(SHOP)).paths).toEqual(["room shop.origin"]);
    expect(done(shelf.rooms.create({ ...SHOP, origin: "http://127.0.0.1:3000" })).origin.all[0]?.address.port).toBe(
      3_000,
    );
  });
});

describe("an order about a room", () => {
  const stateAt = (shelf: RoomShelf) => {
    const { room, declared, order } = roomAt(shelf);
    return [order?.kind, room.queueAll, room.queueingMethod, declared.queueAll, declared.queueingMethod];
  };
  const HELD = ["hold", true, "fifo", false, "fifo"];
  const FREE = [undefined, false, "fifo", false, "fifo"];

  test("holds the room or opens it, and its document stays as it is", () => {
    const shelf = shelfWith(SHOP);
    done(shelf.rooms.order("shop", "hold"));
    expect(stateAt(shelf)).toEqual(HELD);
    expect(shelf.visit("shop", 1)).toEqual(["waiting"]);
    done(shelf.rooms.order("shop", "open"));
    expect(stateAt(shelf)).toEqual(["open", false, "passthrough", false, "fifo"]);
    done(shelf.rooms.order("shop", undefined));
    expect(stateAt(shelf)).toEqual(FREE);
  });

  test("works on a suspended room, which is suspended again afterwards", () => {
    const shelf = shelfWith({ ...SHOP, suspended: true });
    done(shelf.rooms.order("shop", "hold"));
    expect([roomAt(shelf).room.suspended, roomAt(shelf).declared.suspended]).toEqual([false, true]);
    done(shelf.rooms.order("shop", undefined));
    expect(roomAt(shelf).room.suspended).toBe(true);
  });

  test("outlives whatever declares rooms, renames, and restarts", () => {
    const shelf = shelfWith(SHOP);
    done(shelf.rooms.order("shop", "hold"));
    const acts: readonly (() => unknown)[] = [
      () => shelf.restart(),
      () => done(shelf.rooms.apply([roomOf({ ...SHOP, total_active_users: 9 })])),
      () => done(shelf.rooms.update("shop", { queue_all: true })),
      () => done(shelf.rooms.update("shop", { queue_all: false })),
      () => shelf.restart(),
      () => heard(shelf, SHOP),
      () => done(shelf.rooms.apply([roomOf(SHOP)])),
      () => {
        done(shelf.rooms.update("shop", { name: "store" }));
        expect(shelf.rooms.byName("store")?.order?.kind).toBe("hold");
        done(shelf.rooms.update("store", { name: "shop" }));
      },
      () => shelf.restart(),
    ];
    for (const act of acts) {
      act();
      expect([roomAt(shelf).order?.kind, roomAt(shelf).room.queueAll]).toEqual(["hold", true]);
    }
    expect(apiDocument(roomAt(shelf))).toMatchObject({
      queue_all: false,
      operator_order: { order: "hold", since: new Date(START_MS).toISOString(), node: SELF },
    });
  });

  test("given once more changes nothing, its time neither", () => {
    const shelf = shelfWith(SHOP);
    done(shelf.rooms.order("shop", "hold"));
    const commits = shelf.commits;
    shelf.nowMs += 1_000;
    expect(done(shelf.rooms.order("shop", "hold")).order?.sinceMs).toBe(START_MS);
    expect(shelf.commits).toBe(commits);
  });

  test("ends with the room: created again, it works as declared", () => {
    const shelf = shelfWith(SHOP);
    done(shelf.rooms.order("shop", "hold"));
    done(shelf.rooms.remove("shop"));
    shelf.nowMs += 1_000;
    done(shelf.rooms.create(SHOP));
    for (let time = 0; time < 2; time++) {
      expect(stateAt(shelf)).toEqual(FREE);
      shelf.restart();
    }
  });

  test("of another node counts here, also where it was heard before the room", () => {
    const shelf = shelfWith(SHOP);
    const hold = (name: string) =>
      shelf.peer.replica.setRegister(orderKey(roomIdOf(name)), orderRegister(name, "hold", shelf.nowMs), shelf.nowMs);
    shelf.rooms.followOrder(roomIdOf("shop"), hold("shop"));
    expect(stateAt(shelf)).toEqual(HELD);
    shelf.rooms.followOrder(roomIdOf("bar"), hold("bar"));
    heard(shelf, BAR, { name: "bar" });
    expect(shelf.rooms.byName("bar")?.room.queueAll).toBe(true);
  });

  test("that no version knows is none", () => {
    const stamp = { wallMs: START_MS, counter: 0, node: SELF };
    for (const document of [undefined, "", "{", '"sell"', "null", '["hold"]'])
      expect(orderIn({ ...orderRegister("shop", undefined, 0), document, stamp })).toBeUndefined();
  });
});

describe("too much is refused with its size, and nothing is changed", () => {
  const page = (bytes: number) => "<p>".padEnd(bytes, "x");

  test.each([
    ["a page", { custom_page_html: page(ROOM_BYTES_MAX) }, "room shop.custom_page_html"],
    [
      "a page of characters that take three bytes",
      { custom_page_html: `<p>${"会".repeat(90_000)}` },
      "custom_page_html",
    ],
    [
      "a page of characters that JSON escapes",
      { custom_page_html: `<p>${"\u0001".repeat(50_000)}` },
      "custom_page_html",
    ],
    ["routes", { additional_routes: longRoutes(100, 2_000), custom_page_html: page(80_000) }, "additional_routes"],
  ])("%s", (_, fields, path) => {
    const shelf = shelfWith(SHOP);
    for (const changed of [
      shelf.rooms.update("shop", fields),
      shelf.rooms.create({ ...BAR, ...fields }),
      parsedAndApplied(shelf, [BAR, { ...SHOP, ...fields }]),
    ]) {
      expect(refusalOf(changed).paths).toEqual([expect.stringContaining(path.replace("room shop.", ""))]);
    }
    expect([shelf.rooms.all().length, shelf.rooms.byName("shop")?.room.customPageHtml]).toEqual([1, ""]);
  });

  test("the largest room that a check lets pass can be stored, and take part in a rollout", () => {
    const shelf = shelfWith({ ...SHOP, origin: "http://127.0.0.1:1" });
    const without = documentBytes(roomDocument(roomAt(shelf).room)) + '"custom_page_html":"",'.length;
    done(shelf.rooms.update("shop", { custom_page_html: page(ROOM_BYTES_MAX - without) }));
    expect(documentBytes(roomDocument(roomAt(shelf).room))).toBe(ROOM_BYTES_MAX);
    const url = (at: number): string => `http://new.example/${at}/${"x".repeat(900)}`;
    const long = Array.from({ length: 32 }, (_, at) => ({ url: url(at), weight: at }));
    const rollout = startedRollout(long, { nowMs: START_MS, minuteMs: MINUTE_MS });
    // The heaviest of them, in 8 KiB.
    expect(rollout?.from).toEqual(long.slice(-8).reverse());
    const stopped = rollout && ({ ...rollout, state: "stopped", reason: "x".repeat(500) } as const);
    expect(done(shelf.rooms.replace(roomAt(shelf), { ...roomAt(shelf).room, rollout: stopped })).room.rollout).toEqual(
      stopped,
    );
    expect(refusalOf(shelf.rooms.update("shop", { description: "y" })).paths).toEqual(["custom_page_html"]);
    const longer = { ...roomAt(shelf).room, description: "y" };
    expect(refusalOf(shelf.rooms.replace(roomAt(shelf), longer)).paths).toEqual(["room shop.custom_page_html"]);
  });

  test("rooms that fit each for itself, and not together", () => {
    const shelf = new RoomShelf();
    const count = Math.ceil(ALL_ROOMS_BYTES_MAX / 200_000);
    const rooms = Array.from({ length: count }, (_, index) =>
      roomOf({ ...SHOP, name: `bar-${index}`, host: `bar-${index}.example`, custom_page_html: page(200_000) }),
    );
    expect(refusalOf(shelf.rooms.apply(rooms)).paths).toEqual(["rooms"]);
    done(shelf.rooms.apply(rooms.slice(0, -1)));
    const last = { ...BAR, custom_page_html: page(200_000) };
    expect(refusalOf(shelf.rooms.create(last)).paths).toEqual(["rooms"]);
  });

  test("a room too many, but none because of rooms that were deleted: a new one takes the id of one of them", () => {
    const shelf = full();
    const ids = new Set(shelf.rooms.all().map(({ id }) => id));
    for (const index of [7, 8, 9]) done(shelf.rooms.remove(`bar-${index}`));
    expect(refusalOf(shelf.rooms.apply([5_000, 5_001, 5_002, 5_003].map(bar))).paths).toEqual(["rooms"]);
    expect(shelf.rooms.all().length).toBe(ROOMS_MAX - 3);
    // In one file with new ones, a deleted room keeps its id.
    done(shelf.rooms.apply([bar(5_000), bar(8), bar(5_001)]));
    expect(shelf.rooms.byName("bar-8")?.id).toBe(roomIdOf("bar-8"));
    for (let index = 5_001; index < 5_010; index++) {
      done(shelf.rooms.remove(`bar-${index}`));
      done(shelf.rooms.create(documentOf(index + 1)));
    }
    // Its first id is that of another room now.
    done(shelf.rooms.remove("bar-5010"));
    done(shelf.rooms.create(documentOf(7)));
    const names = shelf.rooms.all().map(({ room }) => room.name);
    expect(new Set(shelf.rooms.all().map(({ id }) => id))).toEqual(ids);
    shelf.restart();
    expect(shelf.rooms.unreadable).toEqual([]);
    expect(shelf.rooms.all().map(({ room }) => room.name)).toEqual(expect.arrayContaining(names));
    expect(shelf.rooms.all().map(({ firstName }) => firstName)).toEqual(expect.arrayContaining(names));
    expect(refusalOf(shelf.rooms.create(SHOP)).paths).toEqual(["rooms"]);
  });

  test("a room with the id of a deleted one has its own name and cookie, and the other's sessions until they end", () => {
    const shelf = full();
    expect(shelf.visit("bar-7", 2)).toEqual(["admitted", "admitted"]);
    const before = shelf.rooms.byName("bar-7");
    done(shelf.rooms.remove("bar-7"));
    shelf.nowMs += 1_000;
    done(shelf.rooms.create({ ...SHOP, total_active_users: 3 }));
    const shop = roomAt(shelf);
    expect([shop.id, shop.createdMs]).toEqual([before?.id, shelf.nowMs]);
    expect([shop.firstName, shop.cookieName]).toEqual(["shop", expect.stringContaining("shop")]);
    expect(shelf.visit("shop", 2)).toEqual(["admitted", "waiting"]);
  });

  test("of rooms that were deleted, one of those the longest ago; the same name takes the same one everywhere", () => {
    const shelf = full();
    for (let index = 0; index < 100; index++) {
      shelf.nowMs += 1;
      done(shelf.rooms.remove(`bar-${index}`));
    }
    const oldest = Array.from({ length: 32 }, (_, index) => roomIdOf(`bar-${index}`));
    const registers = shelf.peer.replica.registers();
    const taken = Array.from({ length: 200 }, (_, index) => {
      const [first] = placed([{ live: undefined, room: bar(7_000 + index) }], registers);
      return first?.id;
    });
    expect(oldest).toEqual(expect.arrayContaining([...new Set(taken)]));
    expect(new Set(taken).size).toBeGreaterThan(16);
    const reversed = new Map([...registers].reverse());
    expect(placed([{ live: undefined, room: bar(7_000) }], reversed)[0]?.id).toBe(taken[0]);
  });

  function documentOf(index: number) {
    return { ...SHOP, name: `bar-${index}`, host: `bar-${index}.example` };
  }

  function bar(index: number): Room {
    return roomOf(documentOf(index));
  }

  /** With as many rooms as there may be. */
  function full(): RoomShelf {
    const shelf = new RoomShelf();
    done(shelf.rooms.apply(Array.from({ length: ROOMS_MAX }, (_, index) => bar(index))));
    return shelf;
  }

  function longRoutes(count: number, length: number) {
    return Array.from({ length: count }, (_, index) => ({ host: "*", path: `/${index}`.padEnd(length, "x") }));
  }

  function parsedAndApplied(shelf: RoomShelf, documents: readonly object[]) {
    const parsed = parseRooms({ rooms: documents });
    return parsed.ok
      ? shelf.rooms.apply(parsed.value)
      : { ok: false as const, refusal: { code: "invalid" as const, message: "", problems: parsed.problems } };
  }
});

describe("a document that a member stored and that cannot be read", () => {
  const TEXTS: readonly (readonly [string, string])[] = [
    ["no JSON", "{not json"],
    ["nothing", ""],
    ["a number", "5"],
    ["null", "null"],
    ["a list", "[1]"],
    ["depth", `${"[".repeat(100_000)}`],
    ["a depth that is JSON", `{"name":${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
    ["a field of a wrong kind beside one of a later release", JSON.stringify({ ...SHOP, host: 7, hologram: true })],
  ];

  test.each(TEXTS)(
    "(%s) is named, the other rooms work, and deleting or applying the room repairs it",
    (_, document) => {
      const shelf = shelfWith(BAR);
      const restarted = () => {
        shelf.save();
        shelf.restart();
        return shelf.rooms.unreadable.map(({ name }) => name);
      };
      for (const repair of [() => shelf.rooms.remove("shop"), () => shelf.rooms.apply([roomOf(SHOP)])]) {
        expect(heard(shelf, document)).not.toEqual([]);
        expect(restarted()).toEqual(["shop"]);
        expect(shelf.rooms.unreadable[0]?.problems[0]?.path).toContain("room shop");
        expect(nameAt(shelf, "bar.example")).toBe("bar");
        done(shelf.rooms.update("bar", { total_active_users: 9 }));
        expect(refusalOf(shelf.rooms.update("shop", { total_active_users: 9 }))).toMatchObject({ code: "conflict" });
        done<unknown>(repair());
        expect(shelf.rooms.unreadable).toEqual([]);
        expect(restarted()).toEqual([]);
      }
      expect(nameAt(shelf, "shop.example")).toBe("shop");
    },
  );

  test("keeps its visitors out where they can be found, as its limits are not known", () => {
    const shelf = shelfWith(BAR);
    const wing = { ...SHOP, additional_routes: [{ host: "wing.example", path: "/" }] };
    const write = (change: object) => heard(shelf, { ...wing, slot_policy: "of a later release", ...change });
    const found = () => ["shop.example", "wing.example"].map((host) => shelf.rooms.find(host, "/a"));
    write({});
    expect(found()).toEqual([UNREADABLE, UNREADABLE]);
    // A change of another room leaves it so, and so does a restart.
    done(shelf.rooms.update("bar", { total_active_users: 9 }));
    expect(found()).toEqual([UNREADABLE, UNREADABLE]);
    shelf.save();
    shelf.restart();
    expect(found()).toEqual([UNREADABLE, UNREADABLE]);
    expect(nameAt(shelf, "bar.example")).toBe("bar");
    write({ suspended: true });
    expect(found()).toEqual([undefined, undefined]);
    write({});
    done(shelf.rooms.remove("shop"));
    expect(found()).toEqual([undefined, undefined]);
  });

  test("keeps its visitors out where a file of the node has the room as well, and is not applied", () => {
    const shelf = shelfWith(BAR);
    shelf.rooms.expect([roomOf(SHOP)]);
    heard(shelf, { ...SHOP, slot_policy: "of a later release" });
    expect(shelf.rooms.find("shop.example", "/a")).toBe(UNREADABLE);
    shelf.rooms.dropExpected();
    expect(shelf.rooms.find("shop.example", "/a")).toBe(UNREADABLE);
    expect(shelf.rooms.unreadable.map(({ name }) => name)).toEqual(["shop"]);
  });

  test.each([
    ["with a first name that no cookie can have", { firstName: "a;\r\nb" }],
    ["made at no possible time", { createdMs: Number.MAX_SAFE_INTEGER }],
  ])("%s, is not used, and does no harm", (_, change) => {
    const shelf = shelfWith(BAR);
    expect(heard(shelf, SHOP, change)).toHaveLength(1);
    expect(shelf.rooms.all().map(apiDocument)).toHaveLength(1);
  });
});

test("fields that a later release has stored are left out, and the room applies", () => {
  const shelf = shelfWith(BAR);
  const later = { ...SHOP, hologram: true, cookie_attributes: { secure: "never", flavour: "oat" } };
  expect(heard(shelf, later)).toEqual([]);
  shelf.save();
  shelf.restart();
  expect([shelf.rooms.unreadable, nameAt(shelf, "shop.example")]).toEqual([[], "shop"]);
  expect(roomAt(shelf).room.cookieAttributes.secure).toBe("never");
  expect(shelf.peer.replica.register(roomIdOf("shop"))?.document).toBe(JSON.stringify(later));
});

function roomAt(shelf: RoomShelf): LiveRoom {
  const live = shelf.rooms.byName("shop");
  if (live === undefined) throw new Error("There is no room");
  return live;
}
