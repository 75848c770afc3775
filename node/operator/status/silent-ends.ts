/**
 * When members that do not answer are removed, and when all that they own is usable again.
 *
 * Warnings, status, dashboard and metrics have these times from here. They are what follows if nothing else happens: a
 * node that is back ends them at once, and an heir that is down for a while ends them later.
 */

import type { Instant } from "../../../mesh/core/instant.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import { cutOffFigures } from "../../config/cut-off-figures.ts";
import type { Peer } from "../../peer/peer.ts";
import type { ShareStatus } from "./status.ts";

/**
 * Unix ms at which the others remove all silent members, if these stay silent: now, if that is due and another member
 * still hears one of them. Undefined if none is silent, or nobody can remove them.
 */
export function removalMs(members: Members, now: Instant): number | undefined {
  const inMs = members.removalInMs(now);
  return inMs === undefined ? undefined : now.wallMs + Math.max(0, inMs);
}

/** Ms from the removal of a node until all of its share is usable again, at most. */
export function idleMsMax({ members, leaseMs, roomNode: { minuteMs } }: Peer): number {
  return cutOffFigures({ leaseMs, minuteMs }, members.sessions.longest).idleMs;
}

/** Both times, for the share of a silent member. */
export function silentEnds(peer: Peer): Pick<ShareStatus, "idle_until_ms" | "removal_ms"> {
  const { members, now } = peer;
  const atMs = removalMs(members, now);
  if (atMs === undefined) return { idle_until_ms: null };
  return { idle_until_ms: Math.round(atMs + idleMsMax(peer)), removal_ms: Math.round(atMs) };
}
