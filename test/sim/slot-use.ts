/**
 * Where the slots of one room are while visitors wait: in use, or idle, and why.
 *
 * A slot is in use while a visitor holds it with a good cookie, for the grace of clocks after that, and while it is
 * called for a visitor in line. As many could be in use as the limits allow and there are visitors for. The newest view
 * and its rows show the owner of the rest, and the owner itself shows what it does with it. A slot that is held without
 * any cookie is idle: a mesh that holds everything admits nobody.
 */

import type { AccountId, Minute, NodeId, RoomId } from "../../mesh/core/ids.ts";
import type { Resource } from "../../mesh/core/ledger/row.ts";
import { slotsOf } from "../../mesh/core/ledger/shares.ts";
import type { Peer } from "../../node/peer/peer.ts";
import { idleAt, idleInPots } from "./idle-apart.ts";
import type { IdleReason } from "./idle-reasons.ts";
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
  /** By id: sessions with a good cookie. */
  readonly #sessions = new Map<string, Session>();
  /** Idle slot-seconds. */
  readonly idle = new Map<IdleReason, number>();
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
  received(id: string, { home, lastGood }: Session): void {
    this.#site?.received(id, { home, lastGood });
    this.#unknownEnds.received(id, { home, lastGood });
    const before = this.#sessions.get(id);
    if (before === undefined || before.lastGood <= lastGood) this.#sessions.set(id, { home, lastGood });
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

  /** Checks once a second. `called`: free slots that are called for a visitor; `early`: those free beside a line. */
  look({ waiting, called, early }: { waiting: number; called: number; early: number }, minute: Minute): Use {
    const { judge } = this.#room;
    const { active, arrivals } = judge.limits;
    const inside = Math.min(active, judge.inside(minute) + this.#ended(minute));
    const used = Math.min(active, inside + called);
    const left = Math.max(0, arrivals - judge.admittedIn(minute));
    const usable = Math.max(used, Math.min(active, inside + Math.min(waiting, left)));
    if (usable > used) this.#explain({ used, usable, called, early }, minute);
    const best = Math.min(usable, Math.max(used, active - this.#unknownEnds.count));
    return { used, usable, best };
  }

  /** Records where the idle slots are, each up to the number that could be in use. */
  #explain({ used, usable, ...line }: Omit<Use, "best"> & Line, minute: Minute): void {
    const found = this.#unused(line, minute);
    const { active } = this.#room.judge.limits;
    const placed = [...found.values()].reduce((sum, slots) => sum + slots, 0);
    const rest = Math.max(0, active - used - placed);
    if (rest > 0) found.set(UNDER_WAY, rest);
    const part = (usable - used) / Math.max(1, placed + rest);
    for (const [reason, slots] of found) this.idle.set(reason, (this.idle.get(reason) ?? 0) + slots * part);
  }

  #unused({ called, early }: Line, minute: Minute): Map<IdleReason, number> {
    const found = new Map<IdleReason, number>();
    const note = (reason: IdleReason, slots: number): void => {
      if (slots > 0) found.set(reason, (found.get(reason) ?? 0) + slots);
    };
    const view = this.#newestView();
    if (view === undefined) return found;
    const shown = this.#shown(view, minute);
    const arrivals = { pot: 0, away: 0, unpaired: 0 };
    let [pairs, withoutArrivals] = [0, 0];
    for (const [writer, accounts] of writersOf(view)) {
      const node = this.#world.nodes.find(({ identity }) => identity === writer);
      const owned = this.#ownedBy(node, { accounts, view, minute });
      const { own = 0, pots } = shown.get(writer) ?? {};
      const { id: room, judge } = this.#room;
      const peer = knowing(view, node);
      const heir = peer && { peer, accounts, room, limit: judge.limits.active, minute };
      for (const [reason, slots] of heir ? idleInPots(heir, { shown: pots, ends: this.#unknownEnds }) : [])
        note(reason, slots);
      arrivals.pot += owned.potArrivals;
      const state = stateOf(node, view, room);
      if (state !== undefined) {
        const isOwn = (home: AccountId) => view.members.writerOf(home) === writer && !peer?.roomNode.potOf(home);
        const idle = owned.own.active - own;
        for (const [reason, slots] of idleAt(isOwn, { slots: idle, rest: state, ends: this.#unknownEnds }))
          note(reason, slots);
        arrivals.away += owned.own.arrivals;
        continue;
      }
      const meshRoom = node?.peer?.rooms.get(room);
      if (node?.peer === undefined || meshRoom === undefined) continue;
      const free = meshRoom.gauge(node.peer.roomMs);
      const both = Math.min(free.active, free.arrivals);
      pairs += both;
      withoutArrivals += free.active - both;
      arrivals.unpaired += free.arrivals - both;
      note("held for sessions that nobody shows", owned.own.active - free.active - own - this.#endedAt(node, minute));
    }
    note("free beside a line", Math.min(early, pairs - called));
    note("free where nobody waits", pairs - called - Math.max(0, Math.min(early, pairs - called)));
    const lying = arrivals.pot + arrivals.away + arrivals.unpaired;
    const part = withoutArrivals / Math.max(1, lying);
    note("free, but arrivals are in a pot", arrivals.pot * part);
    note("free, but arrivals are at a node that is down, gone or cut off", arrivals.away * part);
    note("free, but arrivals are at a node without slots", arrivals.unpaired * part);
    return found;
  }

  /** Whether no node that may use the slots of an account knows which of its sessions have ended. */
  #isAway(account: AccountId, view: Peer): boolean {
    const writer = view.members.writerOf(account);
    if (writer === undefined) return false;
    const node = this.#world.nodes.find(({ identity }) => identity === writer);
    return stateOf(node, view, this.#room.id) !== undefined || node?.peer?.roomNode.potOf(account) !== undefined;
  }

  /** Slots held for sessions whose last minute has just ended. */
  #ended(minute: Minute): number {
    return this.#world.nodes.reduce((sum, node) => sum + this.#endedAt(node, minute), 0);
  }

  #endedAt({ isRunning, peer }: SimNode, minute: Minute): number {
    const rooms = [this.#room.id, ...this.#members];
    const slots = rooms.flatMap(
      (room) => (isRunning ? peer?.rooms.get(room)?.admission.sessions.record.slots : undefined) ?? [],
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

  /** By the node that answers for them in a view: sessions with a good cookie, on own slots and on those of a pot. */
  #shown(view: Peer, minute: Minute): Map<NodeId, Shown> {
    const shown = new Map<NodeId, Shown>();
    for (const [id, { home, lastGood }] of this.#sessions) {
      if (lastGood < minute || this.#room.judge.isRevoked(id)) {
        this.#sessions.delete(id);
        continue;
      }
      const writer = view.members.writerOf(home);
      if (writer === undefined) continue;
      const at = shown.getOrInsertComputed(writer, () => ({ own: 0, pots: new Map() }));
      const node = this.#world.nodes.find(({ identity }) => identity === writer);
      const group = knowing(view, node)?.roomNode.potOf(home);
      if (group === undefined) at.own += 1;
      else at.pots.set(group, (at.pots.get(group) ?? 0) + 1);
    }
    return shown;
  }

  /**
   * Slots that a node owns, and arrivals in its pots: by its own report, or by the rows that others have if it does not
   * run, or does not know the view.
   */
  #ownedBy(
    node: SimNode | undefined,
    { accounts, view, minute }: { accounts: readonly AccountId[]; view: Peer; minute: Minute },
  ): { readonly own: Record<Resource, number>; readonly potArrivals: number } {
    const { id, judge } = this.#room;
    const slots = (resource: Resource, units: number): number => slotsOf(judge.limits[resource], units);
    const both = (of: (resource: Resource) => number) => ({ active: of("active"), arrivals: of("arrivals") });
    const peer = knowing(view, node);
    if (peer !== undefined) {
      const usable = (resource: Resource): number => peer.roomNode.units(id, resource, minute);
      const all = peer.replica.netUnits(peer.members.writes(), { room: id, resource: "arrivals", minute });
      return {
        own: both((resource) => slots(resource, usable(resource))),
        potArrivals: slots("arrivals", Math.max(0, all - usable("arrivals"))),
      };
    }
    return {
      own: both((resource) => slots(resource, view.replica.netUnits(accounts, { room: id, resource, minute }))),
      potArrivals: 0,
    };
  }
}

/** Sessions with a good cookie for which a node answers: on own slots, and by group of pots. */
interface Shown {
  own: number;
  readonly pots: Map<string, number>;
}

interface Line {
  readonly called: number;
  readonly early: number;
}

const UNDER_WAY: IdleReason = "under way, or in fractions";

function numberOf({ members }: Peer): number {
  return members.view?.number ?? 0;
}

/** A node that runs and knows the view. */
function knowing(view: Peer, node: SimNode | undefined): Peer | undefined {
  const peer = node?.isRunning === true ? node.peer : undefined;
  return peer !== undefined && numberOf(peer) === numberOf(view) ? peer : undefined;
}

function writersOf(view: Peer): Map<NodeId, AccountId[]> {
  const writers = new Map<NodeId, AccountId[]>();
  const former = (view.members.view?.heirs ?? []).map(([account]) => account);
  for (const account of new Set([...view.replica.ledger.accounts(), ...former])) {
    const writer = view.members.writerOf(account);
    if (writer !== undefined) writers.getOrInsertComputed(writer, () => []).push(account);
  }
  return writers;
}

/** Why no node can use a node's slots now; undefined if it may hand them out. */
function stateOf(node: SimNode | undefined, view: Peer, room: RoomId): IdleReason | undefined {
  if (node === undefined) return "at a node that is gone and not removed yet";
  const { peer, now } = node;
  if (!node.isRunning || peer === undefined) return "at a node that is down";
  if (peer.roomNode.mayAct(room)) return undefined;
  if (numberOf(peer) !== numberOf(view) || peer.members.lease(now) !== "held") return "at a node that is cut off";
  return peer.isInStep && (!peer.isClockTrusted || !peer.members.mayAct(now))
    ? "at a node whose clock is off"
    : "at a node with an old disk, or that lost power";
}
