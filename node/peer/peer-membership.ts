/**
 * What membership needs from the rest of a node, and what the node does when its membership changes: at a new view,
 * when it takes over what a leaver had, and when its own identity is over.
 */

import { type AccountId, accountOf, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import type { RowData } from "../../mesh/core/ledger/row.ts";
import type { Members, MembersApp, StopReason, TestimonyApp } from "../../mesh/core/members/members.ts";
import { accountsOf, type View } from "../../mesh/core/members/view.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { MeshRoom } from "../admission/mesh/mesh-room.ts";
import type { CutOff } from "./cut-off.ts";
import type { Dissemination } from "./dissemination.ts";
import type { KnownAddresses } from "./known-addresses.ts";
import type { MemberGauges } from "./member-gauges.ts";
import type { NodeNames } from "./node-names.ts";
import type { NodeTime } from "./node-time.ts";
import type { OldDiskGuard } from "./old-disk-guard.ts";
import type { PeerEvents } from "./peer-options.ts";
import { type HandedTables, inPot, type RoomTable } from "./peer-tables.ts";
import type { PotClock } from "./pot-clock.ts";
import type { PowerLoss } from "./power-loss.ts";
import type { RoomHolds } from "./room-holds.ts";
import type { Testimonies } from "./testimonies.ts";

/** The parts of a node that depend on its membership. */
export interface MembershipParts {
  readonly members: Members;
  readonly replica: Replica;
  readonly rooms: ReadonlyMap<RoomId, MeshRoom>;
  readonly time: NodeTime;
  readonly guard: OldDiskGuard;
  readonly holds: RoomHolds;
  readonly powerLoss: PowerLoss;
  readonly handed: HandedTables;
  readonly testimonies: Testimonies;
  readonly pots: PotClock;
  readonly cutOff: CutOff;
  readonly gauges: MemberGauges;
  readonly addresses: KnownAddresses;
  readonly names: NodeNames;
  /** Whether a node is a member, or connected. */
  readonly isAround: (node: NodeId) => boolean;
  readonly dissemination: Dissemination;
  /** Changes whenever a node may have come or gone. */
  epoch: number;
}

export class PeerMembership implements MembersApp {
  readonly #parts: MembershipParts;
  readonly #events: PeerEvents;

  constructor(parts: MembershipParts, events: PeerEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  get testimony(): TestimonyApp {
    return this.#parts.testimonies;
  }

  accounts(): AccountId[] {
    return this.#parts.replica.ledger.accounts();
  }

  rows(accounts: readonly AccountId[]): RowData[] {
    return this.#parts.replica.rows(accounts);
  }

  viewChanged(view: View): void {
    const { time, gauges, addresses, names, members, isAround, dissemination, pots, replica } = this.#parts;
    this.#parts.epoch += 1;
    time.viewChanged();
    gauges.keepOnly((node) => view.members.some((member) => member.node === node));
    const former = new Set(members.former);
    addresses.keepOnly({ isFormer: (node) => former.has(node), isAround });
    names.keepOnly((node) => former.has(node) || isAround(node));
    dissemination.sayAgain();
    replica.fold(accountsOf(view));
    pots.tick(time.now);
    this.noteGone(view);
    this.#events.viewChanged(view);
  }

  /** Nodes that a view has removed may still run for as long as a pot lasts, whatever this node inherits from them. */
  noteGone(view: View): void {
    const { pots, time, cutOff } = this.#parts;
    cutOff.learn(view, pots.activeMs, time.now);
  }

  tables(): RoomTable[] {
    const { handed, rooms, time } = this.#parts;
    return handed.all(rooms, time.roomMs);
  }

  /** A leaver that does not know how many of its slots are in use has its own account in a pot, too. */
  takeOver(from: NodeId, accounts: readonly AccountId[], rows: readonly RowData[], said: unknown): void {
    const { replica, members, testimonies, handed, rooms, pots, time } = this.#parts;
    replica.takeOver(accounts, rows);
    const tables = said as readonly RoomTable[];
    const pot = members.pot(time.now).find((each) => each.accounts.includes(accountOf(from)));
    const held = pot === undefined ? tables : tables.map((table) => inPot(table, pot.group));
    testimonies.tookOver();
    handed.takeOver(held, rooms, time.roomMs);
    pots.tick(time.now);
  }

  stoppedBy(reason: StopReason): void {
    const { over } = this.#events;
    if (reason === "left") over("left", "this node has left the mesh");
    else if (reason === "removed") over("new-identity", "this node was removed from the mesh");
    else over("replaced", "a later start of the same identity runs elsewhere");
  }

  heirLost(): void {
    const { replica, holds } = this.#parts;
    for (const room of replica.registers().keys()) holds.hold(room, "lostHeir");
  }

  isInStep(): boolean {
    return this.#parts.guard.isInStep;
  }

  mayHandOver(): boolean {
    return this.#parts.guard.isInStep && !this.#parts.powerLoss.isOpen;
  }

  mayTakeOver(): boolean {
    return this.#parts.time.isTrusted && !this.#parts.time.isAhead;
  }

  hasLostCounts(): boolean {
    return this.#parts.holds.hasAny;
  }

  pledgeCounts(): void {
    const { rooms, time } = this.#parts;
    for (const room of rooms.values()) room.workPending(time.roomMs);
  }

  log(event: string): void {
    this.#events.log({}, event);
  }
}
