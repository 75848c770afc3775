/**
 * The rooms of a simulated node's process: what an operator does to them there, and how its gate has them.
 *
 * A change is judged as it is made: on a full disk nothing may be changed, and a stamp must be one that the other nodes
 * accept.
 */

import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { orderKey } from "../../mesh/core/replica/register-keys.ts";
import { AHEAD_MS_MAX, type Register } from "../../mesh/core/replica/registers.ts";
import type { Room } from "../../node/config/room.ts";
import { roomDocument } from "../../node/config/room-document.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { NodeShell } from "../../node/process/shell.ts";
import { orderIn } from "../../node/rooms/room-order.ts";
import type { Rooms } from "../../node/rooms/rooms.ts";
import type { SimDisk } from "./sim-disk.ts";

export interface NodeRoomsParts {
  /** The process that runs; undefined while none does. */
  readonly shell: () => NodeShell | undefined;
  readonly disk: Pick<SimDisk, "isFull">;
  readonly identity: () => NodeId;
  readonly now: () => Instant;
  /** Unix ms by a clock that is right. */
  readonly trueMs: () => number;
  /** Ends the run: a promise was broken. */
  readonly broken: (text: string) => never;
}

export class NodeRooms {
  readonly #parts: NodeRoomsParts;

  constructor(parts: NodeRoomsParts) {
    this.#parts = parts;
  }

  /**
   * Makes a room at the process that runs, or changes it. Returns whether the disk took it: not if the node does not know
   * the room's site.
   */
  set({ id, name }: { readonly id: RoomId; readonly name: string }, room: Room): boolean {
    if (room.site !== "" && (this.#rooms?.byName(room.site) ?? this.#rooms?.byFirstName(room.site)) === undefined)
      return false;
    return this.#change(id, (rooms) => {
      const live = rooms.byFirstName(name);
      const changed = live === undefined ? rooms.create(roomDocument({ ...room, name })) : rooms.replace(live, room);
      if (!changed.ok) throw new Error(JSON.stringify(changed.refusal));
    });
  }

  delete(id: RoomId): void {
    this.#change(id, (rooms) => rooms.remove(rooms.byId(id)?.room.name ?? ""));
  }

  /** Gives the public value of a room's draw. */
  giveDrawValue(id: RoomId, value: string): void {
    this.#change(id, (rooms) => {
      const live = rooms.liveById(id);
      const [draw] = live?.draws ?? [];
      if (live !== undefined && draw !== undefined) rooms.giveDrawValue(live, draw, value);
    });
  }

  /** Blocks a visitor of a room until then. */
  block(id: RoomId, number: string, untilMs: number): void {
    this.#change(id, (rooms) => {
      const live = rooms.liveById(id);
      if (live !== undefined) rooms.block(live, number, untilMs);
    });
  }

  /** Until when a visitor of a room is blocked here; undefined for one who is not. */
  blockedUntil(id: RoomId, number: string): number | undefined {
    return this.#rooms?.liveById(id)?.blockOf(number, this.#parts.trueMs())?.untilMs;
  }

  /** Has a room admit nobody, or go on. */
  hold(id: RoomId, isHeld: boolean): void {
    this.#change(id, (rooms) => rooms.order(rooms.byId(id)?.room.name ?? "", isHeld ? "hold" : undefined));
  }

  /** Whether the registers here have a room, and whether requests find it. */
  asKnown({ id, name }: { readonly id: RoomId; readonly name: string }) {
    const declared = this.#peer?.replica.register(id)?.document !== undefined;
    const found = this.#rooms?.find(`${name}.example`, "/");
    return { declared, routed: typeof found === "object" && found.id === id };
  }

  /** Whether the process that runs knows that an operator holds the room. */
  isHeld(id: RoomId): boolean {
    return orderIn(this.#peer?.replica.register(orderKey(id)))?.kind === "hold";
  }

  /** The event for whose start new visitors wait here, as text; undefined while there is none. */
  prequeueOf(id: RoomId): string | undefined {
    const event = this.of(id)?.event;
    return event?.phase === "prequeue" ? `${event.name} ${event.startMs}` : undefined;
  }

  /** A room as it is declared at this node; undefined for one that is deleted, or not known here. */
  declared(id: RoomId): Room | undefined {
    return this.#rooms?.liveById(id)?.declared;
  }

  /** A room as its gate has it; undefined for one that is deleted, or not known here. */
  of(id: RoomId): Room | undefined {
    return this.#rooms?.liveById(id)?.room;
  }

  /** Applies what was just changed here. */
  putInForce(id: RoomId, register: Register): void {
    this.#rooms?.follow(id, register);
  }

  /** Whether requests here belong to a room, and not to none, as after its deletion. */
  has(room: RoomId): boolean {
    return this.of(room) !== undefined;
  }

  /** Whether its room works as one that an operator holds. */
  isHolding(id: RoomId): boolean {
    return this.#rooms?.byId(id)?.order?.kind === "hold";
  }

  get #rooms(): Rooms | undefined {
    return this.#parts.shell()?.rooms;
  }

  get #peer(): Peer | undefined {
    return this.#parts.shell()?.peer;
  }

  /** Has rooms changed. Returns whether the disk took it: if not, nothing may be changed. */
  #change(id: RoomId, act: (rooms: Rooms) => void): boolean {
    const rooms = this.#rooms;
    if (rooms === undefined) return false;
    const before = this.#stateOf(id);
    try {
      act(rooms);
      this.#checkStamps(id);
      return true;
    } catch (error) {
      if (!this.#parts.disk.isFull) throw error;
      if (this.#stateOf(id) !== before)
        this.#parts.broken(`whole or not at all: a room is changed on the full disk of ${this.#parts.identity()}`);
      return false;
    }
  }

  /**
   * What is decided here, the other nodes must accept at once: none of them is asked by what clock it was stamped. A
   * node that hears no member has only its own clock, and stamps again once it knows theirs.
   */
  #checkStamps(id: RoomId): void {
    if (this.#peer?.members.clocks.behindMs(this.#parts.now()) === undefined) return;
    for (const key of [id, orderKey(id)]) {
      const { node, wallMs = 0 } = this.#peer?.replica.register(key)?.stamp ?? {};
      const aheadMs = wallMs - this.#parts.trueMs();
      if (node === this.#parts.identity() && aheadMs > AHEAD_MS_MAX)
        this.#parts.broken(`orders are heard: ${node} stamps one ${Math.round(aheadMs / 1_000)} s ahead`);
    }
  }

  /** All that a change of a room could change, as text. */
  #stateOf(id: RoomId): string {
    const live = this.#rooms?.all().find((each) => each.id === id);
    const registers = [id, orderKey(id)].map((key) => this.#peer?.replica.register(key));
    return JSON.stringify([live?.room, live?.declared, live?.modifiedMs, registers, this.#rooms?.all().length]);
  }
}
