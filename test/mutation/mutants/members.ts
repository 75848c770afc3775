/** Bugs planted in `mesh/core/members/`: views, leases, fences, pots, pledges and those who leave. */

import { CUT_OFF, HARSH, law, MEMBERS, type Mutant, PLEDGES_MODEL } from "../mutant.ts";

export const MEMBERS_MUTANTS: readonly Mutant[] = [
  // Lease, fences, votes.
  {
    name: "the lease is forgotten",
    file: "mesh/core/members/authority-to-act.ts",
    find: 'return this.isFree || this.leaseLeftMs(now) > 0 ? "held" : "none";',
    replace: 'return "held";',
    by: CUT_OFF,
  },
  {
    name: "a silent member has a vote in the next view",
    file: "mesh/core/members/attempt.ts",
    find: "      silent: this.#nodes().filter(",
    replace: "      silent: this.removed.filter(",
    by: law("simulator/rolling"),
  },
  {
    name: "the loss of one of just a majority of voters is survived",
    file: "mesh/core/members/members.ts",
    find: "voters.filter(isThere).length > majorityOf(voters)",
    replace: "voters.filter(isThere).length >= majorityOf(voters)",
    by: law("simulator/rolling"),
  },
  {
    name: "a clock counts as contradicted by most members only",
    file: "mesh/core/members/member-clocks.ts",
    find: "this.#heartbeats.count > 1;",
    replace: "this.behindMostMs(now) !== undefined;",
    by: law("simulator/contradicted-clock"),
  },
  {
    name: "a clock is not compared before an answer gives the lease",
    file: "mesh/core/members/pings.ts",
    find: "    this.#parts.clocks.compare(now);\n",
    replace: "",
    by: law("simulator/contradicted-clock"),
  },
  {
    name: "a start forgets the clocks of members that fell silent",
    file: "mesh/core/members/member-clocks.ts",
    find: "this.#heartbeats.clocksHeard(now)",
    replace: "this.#heartbeats.clocks(now)",
    by: law("simulator/contradicted-clock"),
  },
  {
    name: "a voter that starts again agrees at once to the removal of a node to which it has granted a lease",
    file: "mesh/core/members/heartbeats.ts",
    find: "const isUnheard = this.#startsUnheard;",
    replace: "const isUnheard = this.#startsUnheard || nodes.length > 0;",
    by: law("mesh/core/members/members"),
  },
  {
    name: "a fence keeps nothing out",
    file: "mesh/core/members/fences.ts",
    find: "return this.#accounts.has(account);",
    replace: "return false;",
    by: law("model/views"),
  },
  {
    name: "not all that stay need to fence",
    file: "mesh/core/members/attempt.ts",
    find: "if (this.#fencing().length > 0) return;",
    replace: "",
    by: HARSH,
  },
  {
    name: "a promise does not tell what was voted for",
    file: "mesh/core/members/voter.ts",
    find: "[voter, this.#votes.acceptedBy(voter) ?? null]",
    replace: "[voter, null]",
    by: MEMBERS,
  },
  {
    name: "less than half of the voters decide",
    file: "mesh/core/members/voters.ts",
    find: "return Math.floor(voters.length / 2) + 1;",
    replace: "return Math.max(1, Math.floor(voters.length / 2));",
    by: MEMBERS,
  },
  // Inheritance.
  {
    name: "a pot's time is forgotten by a restart",
    file: "mesh/core/members/member-parts.ts",
    find: "this.pots.restore(POTS.read(restored) ?? [], now);",
    replace: "",
    by: CUT_OFF,
  },
  {
    name: "a fence does not say what was given to the node",
    file: "mesh/core/members/decider.ts",
    find: "(giver, to) => ended.has(giver) || ended.has(to),",
    replace: "(giver) => ended.has(giver),",
    by: MEMBERS,
  },
  {
    name: "what an heir had inherited merges into its own account although it left",
    file: "mesh/core/members/next-view.ts",
    find: "isUnclaimed(account) && isUnclaimed(accountOf(removed))",
    replace: "isUnclaimed(account)",
    by: law("law/folding"),
  },
  // Pledges and ceilings.
  {
    name: "one voter that knows a pledge is enough",
    file: "mesh/core/members/pledged-bound.ts",
    find: "known.length < majorityOf(voters)",
    replace: "known.length < 1",
    by: PLEDGES_MODEL,
  },
  {
    name: "a voter counts for what the view says of its own pledge",
    file: "mesh/core/members/pledged-bound.ts",
    find: "voters.filter((voter) => voter !== node)",
    replace: "voters",
    by: PLEDGES_MODEL,
  },
  {
    name: "a pledge of an earlier view counts for accounts that came since",
    file: "mesh/core/members/next-view.ts",
    find: "return gaining.has(node) ? [] : (pledgeOf(node) ?? []);",
    replace: "return pledgeOf(node) ?? [];",
    by: PLEDGES_MODEL,
  },
  {
    name: "an older pledge counts once a later one is known",
    file: "mesh/core/members/kept-pledges.ts",
    find: "if (version <= (before?.version ?? 0) || since",
    replace: "if (since",
    by: PLEDGES_MODEL,
  },
  {
    name: "a voter acknowledges a later pledge that is not on its disk",
    file: "mesh/core/members/kept-pledges.ts",
    find: "this.#kept.set(pledge.node, pledge);\n    this.#write(",
    replace: "if (!this.#kept.has(pledge.node)) this.#write(pledge.node, pledge);\n    this.#kept.set(",
    by: PLEDGES_MODEL,
  },
  // How long sessions last.
  {
    name: "a longer session counts before its view",
    file: "mesh/core/members/longest-session.ts",
    find: "return this.#most;",
    replace: "return this.allowed;",
    by: law("simulator/changed-rooms"),
  },
];
