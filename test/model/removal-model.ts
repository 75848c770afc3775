/**
 * The rules of removals, explored: C is silent, A has it removed, B agrees or has heard it, and C acts on as long as it
 * may. A and C hear nothing of each other at all.
 *
 * Time advances by ticks, two to a lease; all messages may come at any tick after they were sent, doubled or never.
 * What must hold: once a majority has voted for the view without C, C's lease is over within a lease. No unit is
 * believed by two nodes or lost, and what C may still use is among what its heir counts as held. A view number is
 * decided once.
 */

import { UNITS } from "../../mesh/core/ledger/shares.ts";
import type { WorldExplored } from "./explore.ts";
import {
  FIRST_TICK,
  firstDisks,
  LEASE_MS,
  MEMBERS,
  type RemovalEvent,
  type RemovalFacts,
  RemovalNode,
  TICK_MS,
} from "./removal-node.ts";
import { decidedTwice } from "./vote-model.ts";
import { type Choice, exploreWorld } from "./world.ts";

/** Gifts are those of C to A or B. */
type Budget = "tick" | "give" | "publish" | "restart" | "kill";

export interface RemovalBounds extends Partial<Record<Budget, number>> {
  /** Who owns what no account was given. */
  readonly root: "A" | "C";
  readonly mortal?: readonly number[];
}

const A = 0;
const C = 2;

export function exploreRemovals({ root, mortal = [], ...budgets }: RemovalBounds): WorldExplored {
  return exploreWorld<RemovalEvent, RemovalFacts>({
    nodes: MEMBERS,
    disks: firstDisks(root),
    start: (self, disk) => new RemovalNode(self, disk),
    hears: (_facts, { from, to }) => !isBetweenAAndC(from, MEMBERS.indexOf(to)),
    budgets,
    mayDie: (node) => mortal.includes(node),
    choices: ({ node, facts }, left): Choice<RemovalEvent>[] => {
      if (node !== C) return [];
      const choices: Choice<RemovalEvent>[] = [];
      if ((left.give ?? 0) > 0 && facts.mayAct)
        for (const to of MEMBERS.slice(A, C))
          choices.push({ name: `gives ${to} a piece`, event: { kind: "give", to }, takes: "give" });
      if ((left.publish ?? 0) > 0 && facts.mayPublish)
        choices.push({ name: "publishes", event: { kind: "publish" }, takes: "publish" });
      return choices;
    },
    common: (_all, left) =>
      (left.tick ?? 0) > 0 ? [{ name: "a tick passes", event: { kind: "tick" }, takes: "tick" }] : [],
    broken: (all) => decidedTwice(all) ?? brokenBy(all),
  });
}

function isBetweenAAndC(from: number, to: number): boolean {
  return (from === A && to === C) || (from === C && to === A);
}

function brokenBy(all: readonly RemovalFacts[]): string | undefined {
  const [a, b, c] = all;
  if (a === undefined || b === undefined || c === undefined) return "there are three";
  const decidedTick = tickOfDecision(all);
  if (decidedTick !== undefined && c.mayAct && (c.tick - decidedTick) * TICK_MS >= LEASE_MS)
    return `a decided view ends the leases of the one before: C acts at ${c.tick - FIRST_TICK}, ${decidedTick - FIRST_TICK} was the decision`;

  const heir = all.find(({ writesC }) => writesC);
  const believed = [a, b, ...(heir === undefined ? [c] : [])].reduce((sum, { own }) => sum + Math.max(0, own), 0);
  if (believed > UNITS) return `no unit is believed by two: ${believed - UNITS} too many`;
  if (a.view === b.view && a.view > 1 && a.own + b.own !== UNITS)
    return `a view that drops a node loses no unit: A has ${a.own} and B ${b.own}`;
  if (heir !== undefined && c.view === 1 && c.own > heir.ofC)
    return `the heir counts all that C may use: ${heir.ofC}, and C has ${c.own}`;
  return undefined;
}

/** The tick in which a majority had voted in one ballot. */
function tickOfDecision(all: readonly RemovalFacts[]): number | undefined {
  for (const { votedAt } of all) {
    const ticks = all.flatMap((other) =>
      votedAt !== undefined && other.votedAt?.ballot === votedAt.ballot ? other.votedAt.tick : [],
    );
    if (ticks.length > 1) return ticks.sort((one, other) => one - other)[1];
  }
  return undefined;
}
