/**
 * A room as a member of its site, and as the site of its members (node/admission/site.ts), at this node.
 */

import { type Member, type Site, UNKNOWN_SITE } from "../site.ts";
import { NOTHING } from "./own-slots.ts";
import type { RoomParts } from "./room-parts.ts";
import type { TicketCounter } from "./ticket-counter.ts";

interface MemberParts extends RoomParts {
  readonly isUnbounded: () => boolean;
}

interface SiteParts extends RoomParts {
  readonly asMember: Member;
  readonly ticketCounter: TicketCounter;
}

export function memberOf({ id, config, admission, line, elsewhere, isUnbounded }: MemberParts): Member {
  return {
    id,
    claims: (nowMs) => (config.room.queueAll ? new Map() : elsewhere.claims(line.waiting, nowMs)),
    inside: (nowMs) => admission.inside(nowMs),
    admittedInMinute: (nowMs) => admission.admittedInMinute(nowMs),
    get pending() {
      return admission.pending;
    },
    get hasLine() {
      return line.size > 0 || elsewhere.isLineElsewhere();
    },
    get isUnbounded() {
      return isUnbounded();
    },
  };
}

/**
 * The site as its members find it now: none while it is opened or suspended, because then it bounds nobody; and one
 * without slots while it is held.
 */
export function siteOf({
  id,
  asMember,
  config,
  admission,
  slots,
  elsewhere,
  ticketCounter,
}: SiteParts): () => Site | undefined {
  const shut: Site = { ...UNKNOWN_SITE, id };
  const site: Site = {
    id,
    get rooms() {
      return [asMember, ...(config.members ?? [])];
    },
    get limits() {
      return { active: config.room.totalActiveUsers, arrivals: config.room.newUsersPerMinute };
    },
    free: (nowMs) => admission.free(nowMs),
    isFree: (nowMs) => admission.sessions.isFree(nowMs),
    mayHoldMore: (nowMs) => admission.sessions.mayHoldMore(nowMs),
    freeHere: (nowMs) => slots.free(nowMs),
    freeAnywhere: (nowMs) => elsewhere.free(nowMs),
    reach: (joined, nowMs) => ticketCounter.reach(joined, nowMs),
    fetchFor: (wanted, nowMs, by) => ticketCounter.fetchFor(wanted, nowMs, by),
    give: (to, wanted, nowMs) => slots.give(to, { slots: wanted, units: NOTHING }, nowMs),
  };
  return () => {
    const { suspended, queueingMethod, queueAll } = config.room;
    if (suspended || (!queueAll && queueingMethod === "passthrough")) return undefined;
    return queueAll || queueingMethod === "reject" ? shut : site;
  };
}
