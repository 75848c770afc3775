/**
 * The rules of pledges, explored: two nodes admit, pledge more and less, give each other slots unseen, one leaves to
 * the other, and both are removed at any time; voters start again, and believe the pledges on their disks or not. All
 * messages may come at any time later, doubled or never.
 *
 * What must hold once they are removed: what the heir takes for free, and what they hold and ever will, never exceed
 * the limit, whatever it has been changed to; and what the heir counts as held is not less than what they hold.
 */

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
import { type Choice, exploreWorld, type WorldExplored } from "./world.ts";

export interface PledgeBounds {
  readonly admits: number;
  readonly ends: number;
  readonly pledges: number;
  readonly gives: number;
  readonly leaves: number;
  readonly views: number;
  readonly limits: number;
  readonly restarts: number;
  readonly kills: number;
  /** Nodes that may be killed. */
  readonly mortal: readonly number[];
  /** Whether a start believes the pledges that it finds on its disk: that disk has all that its node has sent. */
  readonly isSound: boolean;
  readonly recheckEvery?: number;
}

const BUDGETS = {
  admit: "admits",
  end: "ends",
  give: "gives",
  leave: "leaves",
} as const;

export function explorePledges(bounds: PledgeBounds): WorldExplored {
  const { mortal, isSound, recheckEvery = 0 } = bounds;
  return exploreWorld<PledgeEvent, PledgeFacts>({
    disks: firstDisks(),
    start: (node, disk) => new PledgeNode(NODES[node] ?? (NODES[0] as never), disk, isSound),
    nodeOf: (to) => NODES.indexOf(to),
    heard: ({ from, message }) => ({ kind: "hear", from: NODES[from] ?? (NODES[0] as never), message }),
    budgets: {
      admit: bounds.admits,
      end: bounds.ends,
      pledge: bounds.pledges,
      give: bounds.gives,
      leave: bounds.leaves,
      view: bounds.views,
      limit: bounds.limits,
      restart: bounds.restarts,
      kill: bounds.kills,
    },
    mayDie: (node) => mortal.includes(node),
    choices: ({ facts }, left): Choice<PledgeEvent>[] => {
      const choices: Choice<PledgeEvent>[] = [];
      const may = (kind: PledgeEvent["kind"]) => facts.may.has(kind) && (left[kind] ?? 1) > 0;
      for (const kind of Object.keys(BUDGETS) as (keyof typeof BUDGETS)[])
        if (may(kind)) choices.push({ name: kind, event: { kind }, takes: kind });
      // What a voter says of itself does not depend on starts.
      if (may("view"))
        for (const voter of mortal.length > 0 ? [B] : [B, X])
          choices.push({ name: `prepares a view with ${voter}`, event: { kind: "view", with: voter }, takes: "view" });
      if (may("ping")) choices.push({ name: "pings", event: { kind: "ping" } });
      if (may("fence")) choices.push({ name: "fences", event: { kind: "fence" } });
      if (may("pledge"))
        for (const more of [0, 1])
          choices.push({ name: `pledges ${more} more`, event: { kind: "pledge", more }, takes: "pledge" });
      return choices;
    },
    common: (_all, left) =>
      (left.limit ?? 0) > 0 ? [{ name: "the limit is changed", event: { kind: "limit" }, takes: "limit" }] : [],
    broken: brokenBy,
    recheckEvery,
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
