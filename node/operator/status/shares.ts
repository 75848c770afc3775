/**
 * What each node owns of a room, and what of it is idle, as one node knows it.
 */

import { type AccountId, accountOf, type NodeId } from "../../../mesh/core/ids.ts";
import { type Purse, slotsOfAccounts } from "../../../mesh/core/ledger/ledger.ts";
import type { IdleShare } from "../../admission/mesh/room-messages.ts";
import type { Peer } from "../../peer/peer.ts";
import type { LiveRoom } from "../../rooms/live-room.ts";
import { silentEnds } from "./silent-ends.ts";
import type { IdleStatus, ShareStatus } from "./status.ts";

/** The shares that no node can use now. */
export function idleOf(shares: readonly ShareStatus[]): ShareStatus[] {
  return shares.filter(({ state }) => state === "pot" || state === "lost" || state === "held");
}

/**
 * What accounts own of a room, as far as known here; for removed nodes, what is still idle at their heirs.
 *
 * The shares of a node add up to what all its accounts own: an heir gives on from its own account what is free of its
 * pots, so neither says anything alone. What of a pot is of use at once counts as the heir's own.
 */
export function sharesOf(
  room: Pick<LiveRoom["room"], "totalActiveUsers" | "newUsersPerMinute">,
  peer: Peer,
  purse: Pick<Purse, "room" | "minute">,
): ShareStatus[] {
  const { roomNode, members, replica, now } = peer;
  const isHere = ({ rooms }: IdleShare) => rooms?.includes(purse.room) !== false;
  const idle = [
    ...peer.idleHere.filter(isHere).map((one) => ({ one, node: roomNode.self })),
    ...peer.idleElsewhere
      .filter(isHere)
      .map((one) => ({ one, node: one.accounts[0] && members.writerOf(one.accounts[0]) })),
  ];
  const slotsIn = (accounts: readonly AccountId[]): Slots => ({
    active_slots: slotsOfAccounts(replica, accounts, { limit: room.totalActiveUsers, ...purse, resource: "active" }),
    arrivals_slots: slotsOfAccounts(replica, accounts, {
      limit: room.newUsersPerMinute,
      ...purse,
      resource: "arrivals",
    }),
  });
  const heldIn = ({ accounts, ceilings }: IdleShare): Slots => {
    const slots = slotsIn(accounts);
    const ceiling = ceilings === undefined ? Number.POSITIVE_INFINITY : (new Map(ceilings).get(purse.room) ?? 0);
    return { ...slots, active_slots: Math.min(slots.active_slots, ceiling) };
  };
  const idleShare = (one: IdleShare, node: NodeId | undefined, slots: Slots): ShareStatus => ({
    account: one.accounts[0] ?? accountOf(roomNode.self),
    ...slots,
    node: node ?? null,
    state: one.reason === "held" ? "held" : "pot",
    idle_until_ms: one.untilMs ?? null,
    idle_reason: one.reason,
    ...(one.sinceMs !== undefined && { idle_since_ms: one.sinceMs }),
    ...(one.accounts.length > 1 && one.reason !== "held" && { accounts: one.accounts }),
  });
  /** What a node has idle, and the rest of its share. */
  const sharesAt = (node: NodeId) => {
    let left = slotsIn(node === roomNode.self ? members.writes() : [accountOf(node), ...heirAccounts(peer, node)]);
    const held = idle.filter((each) => each.node === node);
    const shares = held.map(({ one }) => {
      const slots = least(left, heldIn(one));
      left = less(left, slots);
      return idleShare(one, node, slots);
    });
    return { idle: shares, left };
  };
  const others = (members.view?.members ?? []).filter(({ node }) => node !== roomNode.self);
  const own = sharesAt(roomNode.self);
  const theirs = others.map(({ node }) => ({ node, ...sharesAt(node) }));
  const known = new Set([roomNode.self, ...others.map(({ node }) => node)]);
  const strangers = idle.filter(({ node }) => node === undefined || !known.has(node));
  const silent = silentEnds(peer);
  return [
    { account: accountOf(roomNode.self), ...own.left, node: roomNode.self, state: "own", idle_until_ms: null },
    ...own.idle,
    ...theirs.flatMap((each) => each.idle),
    ...strangers.map(({ one, node }) => idleShare(one, node, heldIn(one))),
    ...theirs.map(({ node, left }): ShareStatus => {
      const share = { account: accountOf(node), ...left, node, idle_until_ms: null };
      const state = members.reach.state(node, now);
      if (state === "alive") return { ...share, state: "member" };
      return { ...share, ...(state === "unreachable" && silent), state: "lost", idle_reason: "silent" };
    }),
  ];
}

type Slots = Pick<ShareStatus, "active_slots" | "arrivals_slots">;

function least(one: Slots, other: Slots): Slots {
  return {
    active_slots: Math.min(one.active_slots, other.active_slots),
    arrivals_slots: Math.min(one.arrivals_slots, other.arrivals_slots),
  };
}

function less(one: Slots, other: Slots): Slots {
  return {
    active_slots: one.active_slots - other.active_slots,
    arrivals_slots: one.arrivals_slots - other.arrivals_slots,
  };
}

/** How much of a room is idle, by its shares. */
export function idleStatus(
  shares: readonly ShareStatus[],
  { totalActiveUsers }: Pick<LiveRoom["room"], "totalActiveUsers">,
): IdleStatus {
  const idle = idleOf(shares).filter(({ active_slots, arrivals_slots }) => active_slots + arrivals_slots > 0);
  const ends = idle.flatMap(({ idle_until_ms }) => idle_until_ms ?? []);
  const activeSlots = idle.reduce((sum, { active_slots }) => sum + active_slots, 0);
  return {
    active_slots: activeSlots,
    arrivals_slots: idle.reduce((sum, { arrivals_slots }) => sum + arrivals_slots, 0),
    part: activeSlots / totalActiveUsers,
    until_ms: idle.length === 0 || ends.length < idle.length ? null : Math.max(...ends),
  };
}

function heirAccounts({ members }: Peer, node: NodeId): AccountId[] {
  return (members.view?.heirs ?? []).flatMap(([account, heir]) => (heir === node ? [account] : []));
}
