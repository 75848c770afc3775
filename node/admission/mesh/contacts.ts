/**
 * Visitors who put the page away, and left an address at which they are to be told of their turn.
 *
 * The node that was given the address keeps it, sealed, and polls for its visitor, as the page would: so the place stays
 * in line, and the turn comes by the same rules as anybody's. When it comes, the visitor has a session that lasts until
 * the turn is over, as one to enter within a while: so the slot is held like any other, and comes free by itself.
 * One other node keeps a copy, and polls once the first one is silent. Both forget the address at the turn, and
 * when the visitor leaves. A visitor who asks again before is admitted to the session that is there.
 *
 * It does not know what was sealed, nor whom it is told to.
 */

import type { Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import type { NotifyRoom } from "../../config/room.ts";
import type { StoredContact } from "../admission-record.ts";
import type { Coming, MeshDecision, OnDecision } from "./entrance.ts";
import { CONTACTS_SENT_MAX, type ContactData, type RoomMessageOf } from "./room-messages.ts";
import { everyNode, type RoomNode } from "./room-node.ts";
import { CONTACT } from "./stored-room.ts";

/** Contacts of one room at one node, copies included: about 2 MB, 7 MB of the longest, and 250 polls a second at the usual interval. */
const CONTACTS_MAX = 5_000;

/** What is to be said to one other node. More is not said: a copy is missing, or is deleted at its own turn. */
const UNSAID_MAX = 10_000;

/** How long an answer may take; then it is said again. */
const ANSWER_MS = 2_000;

/** The part of a node's slots that turns may hold whose visitors have not come, but one at least. */
const HELD_PART = 0.1;

/** Whose turn has come, and the last minute in which it is good. */
export interface Called {
  readonly id: string;
  readonly sealed: string;
  readonly lastGood: Minute;
  /** Whether the slot was taken for this visitor now: by another poll otherwise. */
  readonly isNew: boolean;
}

interface Kept extends Omit<StoredContact, "line"> {
  line: string;
  /** When to poll next. */
  nextMs: number;
  copyAt?: NodeId;
  turn?: Called;
}

export interface ContactsParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly room: () => NotifyRoom;
  /** Slots of this node. */
  readonly slots: (nowMs: number) => number;
  readonly poll: (id: string, key: number, nowMs: number, onDecision: OnDecision, coming: Coming) => void;
  readonly pauseMs: (decision: Extract<MeshDecision, { kind: "waiting" }>, nowMs: number) => number;
  /** The last good minute of a session here; undefined if there is none. */
  readonly lastGoodOf: (id: string, nowMs: number) => Minute | undefined;
  readonly restored: readonly (readonly [id: string, contact: StoredContact])[];
}

export class Contacts {
  readonly #parts: ContactsParts;
  readonly #kept = new Map<string, Kept>();
  /** By other node and visitor: a copy to keep, or undefined for one to delete. */
  readonly #unsaid = new Map<NodeId, Map<string, ContactData | undefined>>();
  readonly #telling = new Set<NodeId>();
  /** Sessions of visitors who were called here and have not come, and the last minute of each. */
  readonly #turns = new Map<string, Minute>();
  /** Polls without an answer yet. */
  #asking = 0;
  #called: Called[] = [];

  constructor(parts: ContactsParts) {
    this.#parts = parts;
    for (const [id, contact] of parts.restored) this.#kept.set(id, { ...contact, nextMs: 0 });
  }

  /** Contacts kept here, copies included. */
  get size(): number {
    return this.#kept.size;
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0 && this.#unsaid.size === 0 && this.#turns.size === 0;
  }

  /** Keeps the contact of a visitor with a place, one each; returns whether there is room for it. */
  keep(id: string, { key, lane, line, sealed }: Omit<StoredContact, "keeper" | "leftMs">, nowMs: number): boolean {
    if (!this.#kept.has(id) && this.#kept.size >= CONTACTS_MAX) return false;
    // One that was left at another node before is not the visitor's any more.
    for (const node of this.#parts.roomNode.others) this.#say(node, id, undefined);
    // The page asks too, for now.
    const nextMs = nowMs + this.#parts.room().refreshIntervalSeconds * 1_000;
    const leftMs = Math.floor(nowMs);
    this.#put(id, { key, lane, line, sealed, leftMs, keeper: this.#parts.roomNode.self, nextMs });
    return true;
  }

  /** Deletes a contact, here and at all other nodes. */
  forget(id: string): void {
    if (this.#parts.room().notify === undefined && !this.#kept.has(id)) return;
    this.#delete(id);
    for (const node of this.#parts.roomNode.others) this.#say(node, id, undefined);
  }

  /** Deletes all: the room has no such field any more, or is deleted. */
  forgetAll(): void {
    for (const id of this.#kept.keys()) this.#delete(id);
  }

  /** Another node wants copies kept, or contacts deleted. */
  hear(from: NodeId, { kept, deleted }: RoomMessageOf<"contacts">): void {
    for (const id of deleted) this.#delete(id);
    if (this.#parts.room().notify === undefined) return;
    for (const [id, key, lane, line, sealed, leftMs] of kept) {
      const own = this.#kept.get(id);
      if (own !== undefined && this.#staysWith(own, leftMs, from)) this.#say(from, id, dataOf(id, own));
      else if (own !== undefined || this.#kept.size < CONTACTS_MAX)
        this.#put(id, { key, lane, line, sealed, leftMs, keeper: from, nextMs: 0 });
    }
  }

  /**
   * Whether a contact stays as it is here although another node says that it is the keeper: this one was left later, or
   * both nodes polled while they were apart. Both must come to the same, or each would leave it to the other.
   */
  #staysWith({ keeper, leftMs }: Kept, leftThereMs: number, from: NodeId): boolean {
    const { self } = this.#parts.roomNode;
    return leftMs > leftThereMs || (leftMs === leftThereMs && keeper === self && self < from);
  }

  /** Those whose turn has come since the last call: `told` or `notTold` is to follow for each. */
  takeCalled(): readonly Called[] {
    if (this.#called.length === 0) return this.#called;
    const called = this.#called;
    this.#called = [];
    return called;
  }

  /** Their sessions are on disk, and the operator is told. */
  told({ id, lastGood, isNew }: Called): void {
    if (isNew) this.#turns.set(id, lastGood);
    this.forget(id);
  }

  /** The session could not be stored: the turn has not come. */
  notTold({ id }: Called): void {
    const kept = this.#kept.get(id);
    if (kept !== undefined) delete kept.turn;
  }

  /** Twice a second. */
  tick(nowMs: number): void {
    const { roomNode, room, lastGoodOf } = this.#parts;
    if (room().notify === undefined) this.forgetAll();
    for (const [id, lastGood] of this.#turns) if (lastGoodOf(id, nowMs) !== lastGood) this.#turns.delete(id);
    for (const [id, kept] of this.#kept) {
      if (kept.keeper !== roomNode.self) {
        if (roomNode.isAlive(kept.keeper)) continue;
        this.#put(id, { ...kept, keeper: roomNode.self });
        continue;
      }
      this.#copy(id, kept);
      if (kept.turn === undefined && kept.nextMs <= nowMs && this.#mayCall(nowMs)) this.#poll(id, kept, nowMs);
    }
    this.#tell();
  }

  /**
   * Whether one more visitor may be called who is not there. Until then their places are nobody's in line, as of others
   * who do not poll, and they have them again with the next poll.
   */
  #mayCall(nowMs: number): boolean {
    const calledAlready = this.#turns.size + this.#called.length + this.#asking;
    return calledAlready < Math.max(1, Math.floor(this.#parts.slots(nowMs) * HELD_PART));
  }

  #poll(id: string, kept: Kept, nowMs: number): void {
    const { poll, pauseMs, room } = this.#parts;
    const { notify, disableSessionRenewal, refreshIntervalSeconds } = room();
    // A session that is never extended begins as a whole one.
    const graceSeconds = ((notify?.graceMinutes ?? 0) * this.#parts.roomNode.minuteMs) / 1_000;
    const trialSeconds = disableSessionRenewal ? 0 : graceSeconds;
    const { key, lane, line, sealed } = kept;
    kept.nextMs = Number.POSITIVE_INFINITY;
    this.#asking += 1;
    const decided: OnDecision = (decision, thenMs) => {
      this.#asking -= 1;
      kept.nextMs = thenMs + (decision.kind === "waiting" ? pauseMs(decision, thenMs) : refreshIntervalSeconds * 1_000);
      if (this.#kept.get(id) !== kept) return;
      if (decision.kind === "used") this.forget(id);
      else if (decision.kind === "waiting") kept.line = decision.line;
      else if (decision.kind === "admitted") {
        kept.turn = { id, sealed, lastGood: decision.lastGood, isNew: decision.isKnown !== true };
        this.#called.push(kept.turn);
      }
    };
    poll(id, key, nowMs, decided, { trialSeconds, lane, line });
  }

  /** One other node that answers has a copy, if there is one. */
  #copy(id: string, kept: Kept): void {
    const { id: room, roomNode } = this.#parts;
    if (kept.copyAt !== undefined && roomNode.isAlive(kept.copyAt)) return;
    const others = everyNode(roomNode.alive()).filter((node) => node !== roomNode.self);
    const [other] = ranked(`${room} contact ${id}`, others);
    if (other === undefined) return;
    kept.copyAt = other;
    this.#say(other, id, dataOf(id, kept));
  }

  #say(node: NodeId, id: string, contact: ContactData | undefined): void {
    const unsaid = this.#unsaid.getOrInsertComputed(node, () => new Map());
    if (unsaid.has(id) || unsaid.size < UNSAID_MAX) unsaid.set(id, contact);
  }

  /** What is not acknowledged is said again; to a node that is no member any more, nothing. */
  #tell(): void {
    const { id: room, roomNode } = this.#parts;
    for (const [node, unsaid] of this.#unsaid) {
      if (unsaid.size === 0 || !roomNode.others.includes(node)) this.#unsaid.delete(node);
      else if (!this.#telling.has(node) && roomNode.isAlive(node)) {
        const said = [...unsaid].slice(0, CONTACTS_SENT_MAX);
        const kept = said.flatMap(([, contact]) => (contact === undefined ? [] : [contact]));
        const deleted = said.flatMap(([id, contact]) => (contact === undefined ? [id] : []));
        this.#telling.add(node);
        roomNode.ask(node, { kind: "contacts", room, kept, deleted }, ANSWER_MS, (answer) => {
          this.#telling.delete(node);
          if (answer === undefined) return;
          for (const [id, contact] of said) if (unsaid.get(id) === contact) unsaid.delete(id);
        });
      }
    }
  }

  #put(id: string, kept: Kept): void {
    const { id: room, roomNode } = this.#parts;
    this.#kept.set(id, kept);
    const { key, lane, line, sealed, leftMs, keeper } = kept;
    roomNode.outbox.put(CONTACT.at(room, id), { key, lane, line, sealed, leftMs, keeper });
  }

  #delete(id: string): void {
    const { id: room, roomNode } = this.#parts;
    if (this.#kept.delete(id)) roomNode.outbox.put(CONTACT.at(room, id), undefined);
  }
}

function dataOf(id: string, { key, lane, line, sealed, leftMs }: Kept): ContactData {
  return [id, key, lane, line, sealed, leftMs];
}
