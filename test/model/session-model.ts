/**
 * The rules of sessions, explored: a room of two slots, one at A and one at B, and a gate C without any.
 *
 * Visitors are admitted, come back with any cookie they were ever told, at any gate. Homes are slow, are taken for
 * gone, are killed and start again, so that sessions are adopted by others. What must hold at every moment: no more
 * cookies are good than the room has slots, nor at any account more than it holds; and no account holds more than it
 * owns.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import { roomWith } from "../node/admission/room-with.ts";
import type { Mail } from "./local.ts";
import {
  type Cookie,
  firstDisks,
  GATES,
  MOMENTS_MAX,
  type SessionEvent,
  type SessionFacts,
  SessionNode,
} from "./session-node.ts";
import { type Choice, exploreWorld, type WorldExplored } from "./world.ts";

export interface SessionBounds {
  readonly slots: number;
  readonly admissions: number;
  readonly checkIns: number;
  readonly moments: number;
  readonly givesAway: number;
  readonly suspicions: number;
  readonly restarts: number;
  readonly kills: number;
  readonly recheckEvery?: number;
}

const SESSION_MINUTES = 1;

export function exploreSessions(bounds: SessionBounds): WorldExplored {
  const { slots, recheckEvery = 0 } = bounds;
  const limits = { totalActiveUsers: slots, newUsersPerMinute: 10 * slots };
  const room = roomWith({ ...limits, sessionDuration: SESSION_MINUTES });
  return exploreWorld<SessionEvent, SessionFacts>({
    disks: firstDisks(),
    start: (node, disk) => new SessionNode(GATES[node] ?? ("nobody" as NodeId), disk, room),
    nodeOf: (to) => GATES.indexOf(to),
    heard: ({ from, message }) => ({ kind: "hear", from: GATES[from] ?? ("nobody" as NodeId), message }),
    budgets: {
      admit: bounds.admissions,
      checkIn: bounds.checkIns,
      moment: Math.min(bounds.moments, MOMENTS_MAX),
      giveAway: bounds.givesAway,
      suspect: bounds.suspicions,
      restart: bounds.restarts,
      kill: bounds.kills,
    },
    choices: ({ facts }, left, told) => {
      const may = (what: string) => (left[what] ?? 0) > 0;
      const choices: Choice<SessionEvent>[] = [];
      if (may("admit") && facts.free > 0) choices.push({ name: "admits", event: { kind: "admit" }, takes: "admit" });
      if (may("giveAway") && facts.free > 0)
        choices.push({ name: "gives away what is free", event: { kind: "give-away" }, takes: "giveAway" });
      if (may("suspect"))
        for (const node of GATES)
          if (node !== (facts.account as string) && !facts.suspected.includes(node))
            choices.push({ name: `takes ${node} for gone`, event: { kind: "suspect", node }, takes: "suspect" });
      if (may("checkIn")) choices.push(...checkIns(facts, told));
      return choices;
    },
    common: (_all, left) =>
      (left.moment ?? 0) > 0 ? [{ name: "time goes on", event: { kind: "moment" }, takes: "moment" }] : [],
    broken: (all, told) => brokenBy(all, told, slots),
    recheckEvery,
  });
}

/** The cookies that a gate accepts and that were not written in this minute. */
function checkIns({ minute }: SessionFacts, told: readonly Mail[]): Choice<SessionEvent>[] {
  return cookiesOf(told)
    .filter(({ lastGood }) => lastGood >= minute && lastGood < minute + SESSION_MINUTES)
    .map(({ id, home, lastGood }) => ({
      name: `is shown the cookie of ${id} at ${home}, good to ${lastGood}`,
      event: { kind: "check-in", session: { id, home, lastGood } },
      takes: "checkIn",
    }));
}

function cookiesOf(told: readonly Mail[]): Cookie[] {
  return told.flatMap(({ message }) => (message.kind === "cookie" ? [message as Cookie] : []));
}

function brokenBy(all: readonly SessionFacts[], told: readonly Mail[], slots: number): string | undefined {
  // By the clock that is farthest behind: there cookies are good for longest.
  const minute = Math.min(...all.map((facts) => facts.minute));
  const good = cookiesOf(told).filter(({ lastGood }) => lastGood >= minute);
  const inside = new Set(good.map(({ id }) => id)).size;
  if (inside > slots) return `sessions inside stay within ${slots}, not ${inside}`;
  let held = 0;
  for (const facts of all) {
    const at = new Set(good.flatMap(({ id, home }) => (home === facts.account ? id : []))).size;
    if (at > facts.held)
      return `every stay rests on a slot: ${facts.account} holds ${facts.held}, and ${at} are good there`;
    if (facts.held > facts.slots)
      return `nobody holds more than it owns: ${facts.account} holds ${facts.held} of ${facts.slots}`;
    held += facts.held;
  }
  return held > slots ? `slots held stay within ${slots}, not ${held}` : undefined;
}
