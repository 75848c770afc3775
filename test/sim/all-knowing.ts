/**
 * The yardstick for policies: one counter that knows everything at the moment it happens, at no cost in time.
 */

import type { AccountId } from "../../mesh/core/ids.ts";
import { minutePlus, startOfMinuteMs } from "../../mesh/core/minute.ts";
import type { VisitorCookie } from "../../node/cookie/seal.ts";
import type { Crowd } from "./crowd.ts";
import type { VisitedWorld } from "./visited-world.ts";
import type { InsideCookie, SimCookie, Visitor, WaitingCookie } from "./visitor.ts";

/** Decides on a request. Returns whether the visitor waits. */
export function decideKnowingAll(world: VisitedWorld, crowd: Crowd, { visitor, newId }: Deciding): boolean {
  const { minute, oracle, options } = world;
  const { cookie } = visitor;
  const room = crowd.roomOf(visitor);
  const { nowMs } = world.time;
  const id = cookie?.id ?? newId();
  const common = { room: room.id, id, bucketId: startOfMinuteMs(minute, options.minuteMs), lastCheckInTime: nowMs };
  const home = "all" as AccountId;
  const lastGood = minutePlus(minute, room.settings.sessionDuration);
  const inside = kept({ ...common, kind: "inside", home, acceptedAt: nowMs, lastGood }) as InsideCookie;
  if (cookie?.kind === "inside" && cookie.lastGood >= minute) {
    crowd.received(visitor, cookie, inside);
    return false;
  }
  if (cookie === undefined) oracle.decisions.push(0);
  if (room.judge.hasRoom(minute)) {
    oracle.admitted(room.judge, { id, stamped: minute }, visitor.locality);
    crowd.enters(visitor);
    crowd.received(visitor, cookie, inside);
    return false;
  }
  const place = kept({ ...common, kind: "waiting", key: visitor.number }) as WaitingCookie;
  const pollSeconds = room.settings.refreshIntervalSeconds;
  return crowd.waits(visitor, { place, sent: undefined, position: 1, pollSeconds, wait: undefined }, nowMs);
}

interface Deciding {
  readonly visitor: Visitor;
  readonly newId: () => string;
}

function kept(said: VisitorCookie): SimCookie {
  return { ...said, pair: "", maxAgeMs: 0 };
}
