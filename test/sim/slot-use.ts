/**
 * How much of one room is in use while visitors wait.
 *
 * A slot is in use while a visitor holds it with a good cookie, for the grace of clocks after that, and while it is
 * called for a visitor in line. As many could be in use as the limits allow and there are visitors for. A slot that is
 * held without any cookie is idle: a mesh that holds everything admits nobody.
 */

import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { RoomJudge } from "./room-judge.ts";
import type { SimNode } from "./sim-node.ts";
import { type Session, UnknownEnds } from "./unknown-ends.ts";

interface UsedWorld {
  readonly nodes: readonly SimNode[];
}

interface UsedRoom {
  readonly id: RoomId;
  readonly judge: RoomJudge;
}

/** A second of a room with waiting visitors. */
export interface Use {
  /** Slots in use. */
  readonly used: number;
  /** As many as could be. */
  readonly usable: number;
  /** The same, less those of which no node could know that they are free: see unknown-ends.ts. */
  readonly best: number;
}

export class SlotUse {
  readonly #world: UsedWorld;
  readonly #room: UsedRoom;
  readonly #unknownEnds = new UnknownEnds();
  /** Of the site, in which each of its sessions counts too; and the rooms that are members. */
  #site: SlotUse | undefined;
  readonly #members: RoomId[] = [];

  constructor(world: UsedWorld, room: UsedRoom) {
    this.#world = world;
    this.#room = room;
  }

  /** Has its sessions count there, too. */
  join(site: SlotUse): void {
    this.#site = site;
    site.#members.push(this.#room.id);
  }

  /** A visitor received a session. */
  received(id: string, session: Session): void {
    this.#site?.received(id, session);
    this.#unknownEnds.received(id, session);
  }

  /** Once a second, also while nobody waits. */
  pass(minute: Minute): void {
    const view = this.#newestView();
    if (view === undefined) return;
    this.#unknownEnds.pass(minute, {
      isAway: (home) => this.#isAway(home, view),
      isRevoked: (id) => this.#room.judge.isRevoked(id),
    });
  }

  /** Checks once a second. `called`: free slots that are called for a visitor. */
  look({ waiting, called }: { waiting: number; called: number }, minute: Minute): Use {
    const { judge } = this.#room;
    const { active, arrivals } = judge.limits;
    const inside = Math.min(active, judge.inside(minute) + this.#ended(minute));
    const used = Math.min(active, inside + called);
    const left = Math.max(0, arrivals - judge.admittedIn(minute));
    const usable = Math.max(used, Math.min(active, inside + Math.min(waiting, left)));
    const best = Math.min(usable, Math.max(used, active - this.#unknownEnds.count));
    return { used, usable, best };
  }

  /** Whether no node that may use the slots of an account knows which of its sessions have ended. */
  #isAway(account: AccountId, view: Peer): boolean {
    const writer = view.members.writerOf(account);
    if (writer === undefined) return false;
    const node = this.#world.nodes.find(({ identity }) => identity === writer);
    if (node?.isRunning !== true || node.peer === undefined) return true;
    return !node.peer.roomNode.mayAct(this.#room.id) || node.peer.roomNode.potOf(account) !== undefined;
  }

  /** Slots held for sessions whose last minute has just ended. */
  #ended(minute: Minute): number {
    const rooms = [this.#room.id, ...this.#members];
    const slots = this.#world.nodes.flatMap(({ isRunning, peer }) =>
      rooms.flatMap((room) => (isRunning ? peer?.rooms.get(room)?.admission.sessions.record.slots : undefined) ?? []),
    );
    return slots.reduce((sum, [lastGood, held]) => sum + (lastGood < minute ? held : 0), 0);
  }

  /** A running node that knows the newest view. */
  #newestView(): Peer | undefined {
    let newest: Peer | undefined;
    for (const { peer, isRunning } of this.#world.nodes)
      if (isRunning && peer !== undefined && numberOf(peer) > (newest === undefined ? 0 : numberOf(newest)))
        newest = peer;
    return newest;
  }
}

function numberOf({ members }: Peer): number {
  return members.view?.number ?? 0;
}
