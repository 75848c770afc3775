/**
 * The rules of sessions, explored: a room of two slots, one at A and one at B, and a gate C without any.
 *
 * Visitors are admitted, come back with any cookie they were ever told, at any gate. Homes are slow, are taken for
 * gone, are killed and start again, so that sessions are adopted by others. What must hold at every moment: no more
 * cookies are good than the room has slots, nor at any account more than it holds; and no account holds more than it
 * owns.
 */

import { roomWith } from "../node/admission/room-with.ts";
import type { WorldExplored } from "./explore.ts";
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
import { type Choice, exploreWorld } from "./world.ts";

type Budget = "admit" | "checkIn" | "moment" | "giveAway" | "suspect" | "restart";

const SLOTS = 2;
const SESSION_MINUTES = 1;

export function exploreSessions(budgets: Partial<Record<Budget, number>>): WorldExplored {
  const limits = { totalActiveUsers: SLOTS, newUsersPerMinute: 10 * SLOTS };
  const room = roomWith({ ...limits, sessionDuration: SESSION_MINUTES });
  return exploreWorld<SessionEvent, SessionFacts>({
    nodes: GATES,
    disks: firstDisks(),
    start: (self, disk) => new SessionNode(self, disk, room),
    budgets: { ...budgets, moment: Math.min(budgets.moment ?? 0, MOMENTS_MAX) },
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
    broken: brokenBy,
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

function brokenBy(all: readonly SessionFacts[], told: readonly Mail[]): string | undefined {
  // By the clock that is farthest behind: there cookies are good for longest.
  const minute = Math.min(...all.map((facts) => facts.minute));
  const good = cookiesOf(told).filter(({ lastGood }) => lastGood >= minute);
  const inside = new Set(good.map(({ id }) => id)).size;
  if (inside > SLOTS) return `sessions inside stay within ${SLOTS}, not ${inside}`;
  let held = 0;
  for (const facts of all) {
    const at = new Set(good.flatMap(({ id, home }) => (home === facts.account ? id : []))).size;
    if (at > facts.held)
      return `every stay rests on a slot: ${facts.account} holds ${facts.held}, and ${at} are good there`;
    if (facts.held > facts.slots)
      return `nobody holds more than it owns: ${facts.account} holds ${facts.held} of ${facts.slots}`;
    held += facts.held;
  }
  return held > SLOTS ? `slots held stay within ${SLOTS}, not ${held}` : undefined;
}
