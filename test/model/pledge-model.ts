/**
 * The rules of pledges, explored: two nodes admit, pledge more and less, give each other slots unseen, one leaves to
 * the other, and both are removed at any time; voters start again, and believe the pledges on their disks or not. All
 * messages may come at any time later, doubled or never.
 *
 * What must hold once they are removed: what the heir takes for free, and what they hold and ever will, never exceed
 * the limit, whatever it has been changed to; and what the heir counts as held is not less than what they hold.
 */

import type { WorldExplored } from "./explore.ts";
import {
  B,
  firstDisks,
  LIMITS,
  NODES,
  type PledgeEvent,
  type PledgeFacts,
  PledgeNode,
  POT_SLOTS,
  X,
} from "./pledge-node.ts";
import { type Choice, exploreWorld } from "./world.ts";

type Budget = "admit" | "end" | "pledge" | "give" | "leave" | "view" | "limit" | "restart";

export interface PledgeBounds extends Partial<Record<Budget, number>> {
  /** Nodes that may be killed. */
  readonly mortal?: readonly number[];
  /** Whether a start believes the pledges that it finds on its disk: that disk has all that its node has sent. */
  readonly isSound?: boolean;
}

export function explorePledges({ mortal = [], isSound = true, ...budgets }: PledgeBounds): WorldExplored {
  return exploreWorld<PledgeEvent, PledgeFacts>({
    nodes: NODES,
    disks: firstDisks(),
    start: (self, disk) => new PledgeNode(self, disk, isSound),
    budgets,
    mayDie: (node) => mortal.includes(node),
    choices: ({ facts }, left): Choice<PledgeEvent>[] => {
      const choices: Choice<PledgeEvent>[] = [];
      const may = (kind: PledgeEvent["kind"]) => facts.may.has(kind) && (left[kind] ?? 0) > 0;
      for (const kind of ["admit", "end", "give", "leave"] as const)
        if (may(kind)) choices.push({ name: kind, event: { kind }, takes: kind });
      // What a voter says of itself does not depend on starts.
      if (may("view"))
        for (const voter of mortal.length > 0 ? [B] : [B, X])
          choices.push({ name: `prepares a view with ${voter}`, event: { kind: "view", with: voter }, takes: "view" });
      if (facts.may.has("ping")) choices.push({ name: "pings", event: { kind: "ping" } });
      if (facts.may.has("fence")) choices.push({ name: "fences", event: { kind: "fence" } });
      if (may("pledge"))
        for (const more of [0, 1])
          choices.push({ name: `pledges ${more} more`, event: { kind: "pledge", more }, takes: "pledge" });
      return choices;
    },
    common: (_all, left) =>
      (left.limit ?? 0) > 0 ? [{ name: "the limit is changed", event: { kind: "limit" }, takes: "limit" }] : [],
    broken: brokenBy,
  });
}

function brokenBy(all: readonly PledgeFacts[]): string | undefined {
  const [a, b, x, y] = all;
  if (a === undefined || b === undefined || x === undefined || y === undefined) return "there are four";
  if (!a.isDecided) return undefined;
  const held = x.held + y.held + POT_SLOTS;
  const inUse = a.own + b.own + a.free + held;
  const [limit = 0] = LIMITS;
  if (inUse > limit)
    return `never over ${limit}: ${inUse} may be in use, of which ${a.free} came free and ${held} are held`;
  if (a.isKnown && a.free > 0 && a.potHeld < held) return `the heir counts ${a.potHeld} as held, and ${held} are`;
  return undefined;
}
