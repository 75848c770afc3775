/**
 * The rules of shares, explored: three accounts, few slots, everything that can happen to their gifts.
 *
 * Nodes admit, give, publish their rows, come to their next minute each by its own clock, are killed and start again.
 * The world sees what no node can: every cookie that was told, and what each account truly owns, which is what all rows
 * say together.
 */

import { accountOf } from "../../mesh/core/ids.ts";
import { RESOURCES, type Resource } from "../../mesh/core/ledger/row.ts";
import { slotsOf, UNITS } from "../../mesh/core/ledger/shares.ts";
import { canonical } from "./canonical.ts";
import type { Mail } from "./local.ts";
import { type Admitted, NODES, roomOf, type ShareEvent, type ShareFacts, ShareNode, VISITORS } from "./share-node.ts";
import { type Choice, exploreWorld, type WorldExplored } from "./world.ts";

export interface ShareBounds {
  readonly limits: Readonly<Record<Resource, number>>;
  readonly admissions: number;
  readonly gives: number;
  /** How often rows are published; if ever, nodes that start again ask their peers, too. */
  readonly publishes: number;
  /** Turns of a minute in all, and of one node. */
  readonly minutes: number;
  readonly minutesEach: number;
  readonly restarts: number;
  readonly kills: number;
  readonly recheckEvery?: number;
}

export function exploreShares(bounds: ShareBounds): WorldExplored {
  const { limits, minutesEach } = bounds;
  const asksPeers = bounds.publishes > 0;
  const room = roomOf(limits);
  return exploreWorld<ShareEvent, ShareFacts>({
    disks: NODES.map(() => new Map()),
    start: (node, disk) => new ShareNode(NODES[node] ?? VISITORS, disk, { room, asksPeers }),
    nodeOf: (to) => NODES.indexOf(to),
    heard: ({ from, message }) => ({ kind: "hear", from: NODES[from] ?? VISITORS, message }),
    budgets: {
      admit: bounds.admissions,
      give: bounds.gives,
      publish: bounds.publishes,
      minute: bounds.minutes,
      restart: bounds.restarts,
      kill: bounds.kills,
    },
    choices: ({ node, facts }, left) => {
      const choices: Choice<ShareEvent>[] = [];
      const may = (what: string) => (left[what] ?? 0) > 0;
      if (may("admit") && facts.free > 0) choices.push({ name: "admits", event: { kind: "admit" }, takes: "admit" });
      if (may("publish") && facts.mayPublish)
        choices.push({ name: "publishes", event: { kind: "publish" }, takes: "publish" });
      if (may("minute") && facts.minute < minutesEach)
        choices.push({ name: "comes to its next minute", event: { kind: "minute" }, takes: "minute" });
      if (may("give"))
        for (const to of NODES)
          for (const all of [false, true])
            if (to !== NODES[node])
              choices.push({
                name: `gives ${to} ${all ? "all" : "a slot"}`,
                event: { kind: "give", to, all },
                takes: "give",
              });
      return choices;
    },
    broken: (all, sent) => brokenBy(all, sent, limits),
    brokenStep: ({ given: before }, { given }) => {
      for (const [to, units] of before) if ((given.get(to) ?? 0) < units) return `what was given never falls: ${to}`;
      return undefined;
    },
    brokenAtRest: (all) => {
      if (!asksPeers || all.some(({ mayPublish }) => mayPublish)) return undefined;
      const rows = all.map(({ rows }) => canonical(rows));
      return rows.every((row) => row === rows[0])
        ? undefined
        : `who has heard everything knows the same: ${rows.join(" is not ")}`;
    },
    ...(bounds.recheckEvery !== undefined && { recheckEvery: bounds.recheckEvery }),
  });
}

function brokenBy(
  all: readonly ShareFacts[],
  sent: readonly Mail[],
  limits: ShareBounds["limits"],
): string | undefined {
  const alarm = all.flatMap(({ alarms }) => alarms)[0];
  if (alarm !== undefined) return `nobody is alarmed: ${alarm}`;
  const told = sent.flatMap(({ message }) => (message.kind === "admitted" ? [message as Admitted] : []));
  for (const minute of new Set(told.map((admitted) => admitted.minute))) {
    const admitted = told.filter((one) => one.minute === minute).length;
    if (admitted > limits.arrivals) return `admissions in a minute stay within ${limits.arrivals}, not ${admitted}`;
  }
  for (const { account, held, units } of all)
    if (held > slotsOf(limits.active, units.active))
      return `nobody holds more than it knows that it owns: ${account} holds ${held} on ${units.active} units`;
  const held = sum(all.map((one) => one.held));
  if (held > limits.active) return `slots held stay within ${limits.active}, not ${held}`;
  for (const resource of RESOURCES) {
    let whole = 0;
    for (const [at, { account, units }] of all.entries()) {
      const truth = trueUnits(all, at, resource);
      if (truth < 0) return `nobody owns less than nothing: ${account} has ${truth} units of ${resource}`;
      if (units[resource] > truth)
        return `no view is above the truth: ${account} sees ${units[resource]} of ${truth} units of ${resource}`;
      whole += truth;
    }
    if (whole !== UNITS) return `units of ${resource} are neither made nor lost: ${whole}`;
  }
  return undefined;
}

/** What an account owns, by what every giver's own row says. */
function trueUnits(all: readonly ShareFacts[], at: number, resource: Resource): number {
  const account = all[at]?.account;
  const received = sum(all.map(({ given }) => given.get(`${resource} ${account}`) ?? 0));
  const given = sum(
    [...(all[at]?.given ?? [])].flatMap(([key, units]) => (key.startsWith(`${resource} `) ? [units] : [])),
  );
  return (account === accountOf(NODES[0] ?? VISITORS) ? UNITS : 0) + received - given;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
