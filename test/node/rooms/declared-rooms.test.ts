import { expect, test } from "vitest";
import { FILES_KEY } from "../../../mesh/core/replica/register-keys.ts";
import type { Fields } from "../../../node/log.ts";
import type { FileSeen } from "../../../node/rooms/applied-files.ts";
import { DeclaredRooms } from "../../../node/rooms/declared-rooms.ts";
import { roomOf } from "../config/documents.ts";
import { done, RoomShelf, refusalOf, SHOP } from "./room-shelf.ts";

/** A node on a shelf that is started with rooms files. */
class Host {
  readonly shelf = new RoomShelf();
  seen: FileSeen | undefined;
  logged: Fields[] = [];
  declared: DeclaredRooms;

  constructor() {
    this.declared = this.start([]);
  }

  start(documents: readonly object[], { mayApply = true } = {}): DeclaredRooms {
    this.shelf.restart();
    this.shelf.nowMs += 1_000;
    this.logged = [];
    const log = (fields: Fields) => void this.logged.push(fields);
    this.declared = new DeclaredRooms({
      rooms: this.shelf.rooms,
      declared: documents.map(roomOf),
      mayApply,
      seen: this.seen,
      files: () => this.shelf.peer.replica.register(FILES_KEY),
      remember: (seen) => {
        this.seen = seen;
      },
      clock: () => this.shelf.nowMs,
      log: { error: log, warn: log, info: () => undefined, debug: () => undefined },
    });
    return this.declared;
  }

  get limit(): number | undefined {
    return this.shelf.rooms.byName("shop")?.room.totalActiveUsers;
  }
}

test("a file is applied once: what operators change afterwards survives every start with it", () => {
  const host = new Host();
  done(host.start([SHOP]).decide());
  expect(host.declared.status?.state).toBe("applied");
  done(host.shelf.rooms.update("shop", { total_active_users: 7 }));
  for (let time = 0; time < 2; time++) {
    done(host.start([SHOP]).decide());
    expect([host.limit, host.declared.status?.state]).toEqual([7, "unchanged"]);
  }
  done(host.shelf.rooms.remove("shop"));
  done(host.start([SHOP]).decide());
  expect(host.limit).toBeUndefined();
});

test("a changed file is applied, and each field that it takes back is logged and shown", () => {
  const host = new Host();
  done(host.start([SHOP]).decide());
  done(host.shelf.rooms.update("shop", { total_active_users: 7, description: "sale" }));
  done(host.start([{ ...SHOP, new_users_per_minute: 9 }]).decide());
  const changes = [
    { room: "shop", field: "description", from: '"sale"', to: "nothing" },
    { room: "shop", field: "total_active_users", from: "7", to: "3" },
    { room: "shop", field: "new_users_per_minute", from: "3", to: "9" },
  ];
  expect(host.logged).toEqual(changes.map((change) => ({ ...change, by: "the start" })));
  expect(host.declared.status).toMatchObject({ state: "applied", changes });
  expect(host.declared.status?.words).toMatch(
    /^the rooms file was applied at the start: .*shop\.total_active_users 7 → 3/,
  );
});

test("an order applies the file whatever was before, and leaves hold as it is", () => {
  const host = new Host();
  done(host.start([SHOP]).decide());
  done(host.shelf.rooms.update("shop", { total_active_users: 7 }));
  done(host.shelf.rooms.order("shop", "hold"));
  done(host.declared.order([roomOf(SHOP)]));
  expect([host.limit, host.shelf.rooms.byName("shop")?.order?.kind]).toEqual([3, "hold"]);
  expect(host.logged).toHaveLength(1);
});

test("a start that may not apply it leaves it alone, changed or not", () => {
  const host = new Host();
  done(host.start([SHOP]).decide());
  done(host.start([{ ...SHOP, total_active_users: 9 }], { mayApply: false }).decide());
  expect([host.limit, host.declared.status]).toEqual([3, undefined]);
  done(host.start([{ ...SHOP, total_active_users: 9 }]).decide());
  expect(host.limit).toBe(9);
});

test("while it is not decided that is said, and a file that is refused is tried again at the next start", () => {
  const host = new Host();
  expect(host.start([SHOP]).warnings[0]).toContain("not applied before this node has heard");
  done(host.declared.decide());
  expect(host.declared.warnings).toEqual([]);
  const clash = [{ ...SHOP, name: "bar" }];
  expect(refusalOf(host.start(clash).decide()).code).toBe("invalid");
  expect(host.declared.warnings[0]).toContain("refused");
  expect(refusalOf(host.start(clash).decide()).code).toBe("invalid");
});

test("rooms that are expected hold visitors, and go when they are not applied", () => {
  const host = new Host();
  done(host.start([SHOP]).decide());
  done(host.shelf.rooms.remove("shop"));
  const bar = { ...SHOP, name: "bar", host: "bar.example" };
  host.start([SHOP, bar]);
  host.shelf.rooms.expect([SHOP, bar].map(roomOf));
  expect(host.shelf.rooms.all().map(({ room }) => room.name)).toEqual(["bar"]);
  expect(host.shelf.rooms.find("bar.example", "/")).toBeDefined();
  host.seen = undefined;
  host.start([bar], { mayApply: false });
  host.shelf.rooms.expect([roomOf(bar)]);
  done(host.declared.decide());
  expect(host.shelf.rooms.find("bar.example", "/")).toBeUndefined();
  host.start([bar]);
  host.shelf.rooms.expect([roomOf(bar)]);
  done(host.declared.decide());
  host.shelf.restart();
  expect(host.shelf.rooms.all().map(({ room }) => room.name)).toEqual(["bar"]);
});
