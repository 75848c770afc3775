/** Bugs planted in `mesh/core/members/`: views, leases, fences, pots, pledges and those who leave. */

import { CUT_OFF, HARSH, law, MEMBERS, type Mutant, PLEDGES_MODEL, TESTIMONY } from "../mutant.ts";

export const MEMBERS_MUTANTS: readonly Mutant[] = [
  // Removed nodes that return.
  {
    name: "an heir of the heir takes a testimony",
    file: "mesh/core/members/pots.ts",
    find: "({ returning = [], isHeard }) => !isHeard && returning.some(([each]) => each === node)",
    replace: "({ accounts, isHeard }) => !isHeard && accounts.includes(accountOf(node))",
    by: TESTIMONY,
  },
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
    by: MEMBERS,
  },
  {
    name: "a fence keeps nothing out",
    file: "mesh/core/members/fences.ts",
    find: "return this.#accounts.has(account);",
    replace: "return false;",
    by: MEMBERS,
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
    name: "two heirs take the pot",
    file: "mesh/core/members/view-book.ts",
    find: "return this.#index.accounts.get(node) ?? [];",
    replace:
      "const isLast = this.known.members.at(-1)?.node === node; return [...(this.#index.accounts.get(node) ?? []), ...(isLast ? this.known.heirs.map(([account]) => account) : [])];",
    by: CUT_OFF,
  },
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
    name: "what a member that left knew of a fenced node is lost with it",
    file: "mesh/core/members/attempt.ts",
    find: "!this.#fences.has(node) && !leavers.has(node),",
    replace: "!this.#fences.has(node) && !leavers.has(node) && this.#parts.heirOf(node) === undefined,",
    by: law("mesh/core/members/attempt"),
  },
  {
    name: "an account in a pot merges into its heir's",
    file: "mesh/core/members/next-view.ts",
    find: "if (isClaimed && !claim.inPots.includes(account))",
    replace: "if (isClaimed)",
    by: law("law/folding"),
  },
  {
    name: "what an heir had inherited merges into its own account although it left",
    file: "mesh/core/members/next-view.ts",
    find: "isUnclaimed(account) && isUnclaimed(accountOf(removed))",
    replace: "isUnclaimed(account)",
    by: law("law/folding"),
  },
  {
    name: "a name goes while its account has units",
    file: "mesh/core/members/next-view.ts",
    find: "named.has(account) || nowMs - sinceMs <= nameKeptMs",
    replace: "nowMs - sinceMs <= nameKeptMs",
    by: law("mesh/core/members/next-view"),
  },
  // Pledges and ceilings.
  {
    name: "a voter that may have forgotten a later pledge vouches for an earlier one",
    file: "mesh/core/members/pledged-bound.ts",
    find: "earlier === undefined || earlier.since > view.number ?",
    replace: "earlier === undefined ?",
    by: PLEDGES_MODEL,
  },
  {
    name: "one voter that has forgotten nothing is enough",
    file: "mesh/core/members/pledged-bound.ts",
    find: "if (sure.length < majorityOf(view.voters)) return undefined;",
    replace: "if (sure.length < 1) return undefined;",
    by: PLEDGES_MODEL,
  },
  {
    name: "a pledge of an earlier view counts for accounts that came since",
    file: "mesh/core/members/pledged-bound.ts",
    find: "if (accountsIn(now, node).some((account) => !before.has(account))) return undefined;",
    replace: "",
    by: PLEDGES_MODEL,
  },
  {
    name: "a voter that has started again vouches for all views",
    file: "mesh/core/members/kept-pledges.ts",
    find: "if (since === undefined) return [];",
    replace: "if (since === undefined) return nodes.map((node) => ({ node, since: 0 }));",
    by: PLEDGES_MODEL,
  },
  {
    name: "a voter acknowledges a later pledge that is not on its disk",
    file: "mesh/core/members/kept-pledges.ts",
    find: "    this.#disk?.write(node, [stored(kept)",
    replace: "    if (before === undefined) this.#disk?.write(node, [stored(kept)",
    by: PLEDGES_MODEL,
  },
  {
    name: "a pledge from the disk counts in a view in which it was not heard",
    file: "mesh/core/members/kept-pledges.ts",
    find: "(kept.view === number ? this.#kept : this.#earlier).set",
    replace: "this.#kept.set",
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
