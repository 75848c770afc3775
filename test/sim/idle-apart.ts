/**
 * Why slots are idle that lie apart: in pots, and at nodes that nobody can ask.
 *
 * Most are held for sessions that have ended there, which only the judge knows (unknown-ends.ts). Of the rest a
 * protocol could use more: a session that was adopted has a second slot, and a pledge is more than what was held.
 */

import type { AccountId, Minute, RoomId } from "../../mesh/core/ids.ts";
import { heldOf } from "../../mesh/core/ledger/pot-share.ts";
import type { Peer } from "../../node/peer/peer.ts";
import type { IdleReason } from "./idle-reasons.ts";
import type { UnknownEnds } from "./unknown-ends.ts";

type Reasons = [reason: IdleReason, slots: number][];

/** An heir, the accounts that it writes, and a room with its limit. */
interface Heir {
  readonly peer: Peer;
  readonly accounts: readonly AccountId[];
  readonly room: RoomId;
  readonly limit: number;
  readonly minute: Minute;
}

/** Idle slots in the pots of an heir. `shown`: by group of pots, its sessions with a good cookie. */
export function idleInPots(
  { peer: { roomNode }, accounts, room, limit, minute }: Heir,
  { shown, ends }: { shown: ReadonlyMap<string, number> | undefined; ends: UnknownEnds },
): Reasons {
  const groups = new Set(accounts.flatMap((account) => roomNode.potOf(account) ?? []));
  return [...groups].flatMap((group) => {
    const share = roomNode.potUnits(room, group, minute);
    const slots = heldOf({ limit, ...share }) - (shown?.get(group) ?? 0);
    const rest = share.ceiling === undefined ? "in a pot, without a pledge" : "in a pot, pledged beyond what was held";
    return idleAt((home) => roomNode.potOf(home) === group, { slots, rest, ends });
  });
}

/** Idle slots of the homes for which `isThere` is true; `rest`: why those are idle that nothing is held for. */
export function idleAt(
  isThere: (home: AccountId) => boolean,
  { slots, rest, ends }: { slots: number; rest: IdleReason; ends: UnknownEnds },
): Reasons {
  if (slots <= 0) return [];
  const at = ends.at(isThere);
  const ended = Math.min(slots, at.ended);
  const adopted = Math.min(slots - ended, at.adopted);
  return [
    ["of sessions that have ended at a node that nobody can ask", ended],
    ["of sessions that were adopted from such a node", adopted],
    [rest, slots - ended - adopted],
  ];
}
