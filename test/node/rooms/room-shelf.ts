/** Rooms on a store in memory or in a file, on a clock that only the test moves, without gate or sockets. */

import type { Peer } from "../../../node/peer/peer.ts";
import type { Changed } from "../../../node/rooms/changed.ts";
import { originTarget } from "../../../node/rooms/live-room.ts";
import { Rooms } from "../../../node/rooms/rooms.ts";
import { Store } from "../../../node/storage/store.ts";
import { StoredRooms } from "../../../node/storage/stored-rooms.ts";
import { lonePeer } from "../peer/lone-peer.ts";

export const MINUTE_MS = 60_000;
/** The start of a minute. */
export const START_MS = 29_000_000 * MINUTE_MS;

export const SHOP = {
  name: "shop",
  host: "shop.example",
  total_active_users: 3,
  new_users_per_minute: 3,
  session_duration: 5,
};

export class RoomShelf {
  nowMs = START_MS;
  /** How often rooms were put on disk. */
  commits = 0;
  readonly store = new Store(":memory:", "process");
  readonly #origin: string | undefined;
  peer: Peer;
  rooms: Rooms;

  constructor({ origin }: { origin: string | undefined } = { origin: "http://origin.internal:3000" }) {
    this.#origin = origin;
    this.peer = this.#peer();
    this.rooms = this.#open();
  }

  /** The process ends without a word: all that is left is what the store was given. */
  restart(): void {
    this.peer = this.#peer();
    this.rooms = this.#open();
  }

  /** Puts on disk what is due, as the node does after a turn. */
  save(): void {
    this.store.commit(this.peer.take().batch);
  }

  /** The same for what may lag, as the node does twice a second. */
  tick(): void {
    this.peer.tick({ wallMs: this.nowMs, steadyMs: this.nowMs });
    this.save();
  }

  /** New visitors of a room; returns what happened to each. */
  visit(name: string, visitors: number): string[] {
    const live = this.rooms.byName(name);
    return Array.from({ length: visitors }, (_, index) => {
      let kind = "no answer";
      live?.meshRoom.arrive(`${this.nowMs} ${index}`, this.nowMs, (decision) => {
        kind = decision.kind;
      });
      return kind;
    });
  }

  #peer(): Peer {
    return lonePeer({ minuteMs: MINUTE_MS, clock: () => this.nowMs, restored: this.store.entries() });
  }

  #open(): Rooms {
    const { peer } = this;
    const stored = new StoredRooms(this.store.entries(), MINUTE_MS);
    return new Rooms({
      roomNode: peer.roomNode,
      attach: (room) => peer.add(room),
      holdAtSite: (left) => peer.holdAtSite(left),
      restored: (id) => stored.restored(id, this.nowMs),
      registers: {
        all: () => peer.replica.registers(),
        get: (key) => peer.replica.register(key),
        set: (values) => {
          const registers = peer.replica.setRegisters(values, this.nowMs);
          this.commits += 1;
          this.save();
          return registers;
        },
      },
      defaultOrigin: this.#origin === undefined ? undefined : originTarget(this.#origin),
      clock: () => this.nowMs,
      roomMs: () => this.nowMs,
    });
  }
}

export function done<Value>(changed: Changed<Value>): Value {
  if (!changed.ok) throw new Error(JSON.stringify(changed.refusal));
  return changed.value;
}

export function refusalOf(changed: Changed<unknown>): { code: string; message: string; paths: (string | undefined)[] } {
  if (changed.ok) throw new Error("Broken: it was not refused");
  const { code, message, problems } = changed.refusal;
  return { code, message, paths: problems.map(({ path }) => path) };
}
