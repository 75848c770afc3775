/**
 * What this node reports that it held once it was removed, and what it does with another node's report: by room, slots
 * and ended sessions.
 *
 * The table is the one that a leaver hands over. It is read when the node has stopped for good; after a start it is the
 * one on disk, before any clock has ended a session in it. The heir holds what was held to its minutes and uses the
 * rest at once. Arrivals stay in the pot: they are free within
 * minutes.
 */

import { z } from "zod";
import type { AccountId, RoomId } from "../../mesh/core/ids.ts";
import type { Instant } from "../../mesh/core/instant.ts";
import { slotsOfAccounts } from "../../mesh/core/ledger/ledger.ts";
import type { Testimony } from "../../mesh/core/members/hearing.ts";
import type { Members, TestimonyApp } from "../../mesh/core/members/members.ts";
import type { Statement } from "../../mesh/core/members/witness.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import { listOf, minute, ROOMS_MAX, roomId, whole } from "../../mesh/core/wire/shapes.ts";
import { type AdmissionRecord, potsIn } from "../admission/admission-record.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { SessionsRecord } from "../admission/sessions.ts";
import type { DiskProof } from "./disk-proof.ts";
import { type HandedTables, type RoomTable, withSites } from "./peer-tables.ts";
import type { PowerLoss } from "./power-loss.ts";
import type { RoomHolds } from "./room-holds.ts";

/** Minutes to which slots may be held: a session's length, and some more. */
const MINUTES_MAX = 1_000;
/** Ended sessions of one room whose cookies could still be good. */
const REVOKED_MAX = 10_000;

const TABLES = listOf(
  z.object({
    room: roomId,
    record: z.object({
      slots: listOf(z.tuple([minute, whole]), MINUTES_MAX),
      minute,
      admittedInMinute: whole,
      site: roomId.optional(),
    }),
    revoked: listOf(z.object({ id: z.string().max(100), lastGood: minute }), REVOKED_MAX),
  }),
  2 * ROOMS_MAX,
);

export interface TestimoniesParts {
  readonly minuteMs: number;
  /** The incarnation of this run, and of the run whose disk it was started from. */
  readonly incarnation: number;
  readonly storedIncarnation: number;
  readonly members: () => Members;
  readonly replica: Replica;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly handed: HandedTables;
  readonly holds: Pick<RoomHolds, "hasAny">;
  readonly powerLoss: () => PowerLoss;
  readonly proof: DiskProof;
  /** Whether the time of a group of pots that this node inherited is not over. */
  readonly isPot: (group: string) => boolean;
  readonly now: () => Instant;
  readonly roomMs: () => number;
  /** Whether this node's time and disk are right, as far as can be known. */
  readonly isInOrder: () => boolean;
  /** The pots have changed. */
  readonly changed: () => void;
  readonly log: (fields: Readonly<Record<string, unknown>>, text: string) => void;
}

export class Testimonies implements TestimonyApp {
  readonly #parts: TestimoniesParts;
  /** As on the disk at the start. */
  readonly #atStart: readonly RoomTable[];
  /** Whether a session may have been given or extended since. */
  #hasActed = false;
  /**
   * Whether its table grew by a leaver's before it had a lease: then it is neither the one on disk nor one by a clock
   * that others confirm.
   */
  #isUnsure = false;
  #statement: Statement | undefined;

  constructor(parts: TestimoniesParts) {
    this.#parts = parts;
    this.#atStart = parts.handed.all(new Map(), 0);
  }

  /** Call it often. */
  tick(): void {
    const { members, proof, now, isInOrder } = this.#parts;
    const at = now();
    if (!members().mayExtendOwn(at)) return;
    this.#hasActed = true;
    // A view of two needs no lease: no node has compared anything there.
    const isLeased = (members().view?.members.length ?? 0) > 2 && members().lease(at) === "held";
    if (isLeased && isInOrder()) proof.confirm();
  }

  /** A leaver's table was taken over. */
  tookOver(): void {
    this.#isUnsure ||= !this.#hasActed;
  }

  statement(): Statement | undefined {
    const { holds, proof, rooms, handed, incarnation, storedIncarnation, roomMs } = this.#parts;
    if (!proof.isSound || this.#isUnsure || holds.hasAny) return undefined;
    this.#statement ??= {
      run: this.#hasActed ? incarnation : storedIncarnation,
      tables: (this.#hasActed ? handed.all(rooms, roomMs()) : this.#atStart).map(({ room, record, revoked }) => ({
        room,
        record: {
          slots: this.#slotsHeld(record),
          minute: record.minute,
          admittedInMinute: 0,
          ...(record.site !== undefined && { site: record.site }),
        },
        revoked,
      })),
    };
    return this.#statement;
  }

  /**
   * Slots on the accounts for which this node speaks. Pots stay pots at the heir, with the sessions on their slots. The
   * accounts of a pot that has settled are own ones, also where the table is older than that.
   */
  #slotsHeld(record: AdmissionRecord): SessionsRecord["slots"] {
    const settled = potsIn(record).filter(([group]) => !this.#parts.isPot(group));
    return [...record.slots, ...settled.flatMap(([, slots]) => slots)];
  }

  lacksGifts(): boolean {
    return this.#parts.powerLoss().isOpen;
  }

  mayHear(): boolean {
    const { members, holds, now, isInOrder } = this.#parts;
    return isInOrder() && members().mayAct(now()) && !holds.hasAny;
  }

  problemOf({ group, tables }: Testimony): string | undefined {
    const { members, rooms } = this.#parts;
    const areKnown = [...rooms.values()].every(({ admission }) => admission.sessions.knowsPot(group));
    if (!areKnown) return "this node does not know which of its sessions it has acknowledged";
    const read = TABLES.safeParse(tables);
    if (!read.success) return "its table is malformed";
    const most = this.#minute + members().sessions.longest + 1;
    const isLater = read.data.some(({ record }) => record.slots.some(([lastGood]) => lastGood > most));
    return isLater ? "it holds slots for longer than any session can last" : undefined;
  }

  take({ from, group, accounts, tables }: Testimony): void {
    const { rooms, handed, roomMs, changed, log } = this.#parts;
    const own = { slots: this.#slotsOf(accounts), held: 0 };
    const byRoom = Map.groupBy(withSites(TABLES.parse(tables), rooms), ({ room }) => room);
    for (const room of rooms.values()) {
      const ofRoom = byRoom.get(room.id) ?? [];
      const slots = ofRoom.flatMap(({ record }) => record.slots);
      for (const [lastGood, count] of slots) if (lastGood >= this.#minute) own.held += count;
      const revoked = ofRoom.flatMap((table) => table.revoked);
      room.acceptTestimony(group, { accounts, slots, revoked }, roomMs());
    }
    for (const [room, waiting] of byRoom) if (!rooms.has(room)) handed.takeOver(waiting, rooms, roomMs());
    changed();
    const free = Math.max(0, own.slots - own.held);
    log(
      { node: from, ...own, free },
      `recovered ${own.slots} slots of node ${from} after its return: ${own.held} held, ${free} free`,
    );
  }

  /** Slots for sessions that accounts own in all rooms. */
  #slotsOf(accounts: readonly AccountId[]): number {
    const { replica, rooms } = this.#parts;
    return [...rooms.values()].reduce((sum, { id, room }) => {
      const purse = { room: id, resource: "active", minute: this.#minute } as const;
      return sum + slotsOfAccounts(replica, accounts, { limit: room.totalActiveUsers, ...purse });
    }, 0);
  }

  get #minute() {
    return minuteOf(this.#parts.roomMs(), this.#parts.minuteMs);
  }
}
