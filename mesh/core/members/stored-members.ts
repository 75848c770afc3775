/**
 * What the parts of membership keep on the disk. Votes, fences, offers and their answers are forced to it before they
 * are sent.
 */

import { z } from "zod";
import type { AccountId, NodeId } from "../ids.ts";
import { Entry } from "../wire/entry.ts";
import { ACCOUNTS_MAX, accountId, ceilings, listOf, nodeId, whole } from "../wire/shapes.ts";
import type { KeptPledge } from "./ceilings.ts";
import type { FencesRecord } from "./fences.ts";
import type { HandoversRecord } from "./handovers.ts";
import type { Run } from "./known-runs.ts";
import type { LeavingRecord } from "./leaver.ts";
import { voterState } from "./member-messages.ts";
import type { VotesRecord } from "./paxos.ts";
import type { Pot } from "./pots.ts";
import type { View } from "./view.ts";
import { keptPledge, MEMBERS_MAX, run, viewShape } from "./view-shape.ts";

const nodes: z.ZodType<readonly NodeId[]> = listOf(nodeId, MEMBERS_MAX);
const accounts: z.ZodType<readonly AccountId[]> = listOf(accountId, ACCOUNTS_MAX);
const ms = z.number().min(0);

const votes: z.ZodType<VotesRecord> = z.object({
  base: whole,
  voters: z.array(z.tuple([nodeId, voterState.nullable()])),
});

const fences: z.ZodType<FencesRecord> = z.object({
  base: whole,
  nodes,
  accounts,
});

const handovers: z.ZodType<HandoversRecord> = z.object({
  taken: z.array(z.tuple([nodeId, z.object({ leavers: nodes, accounts })])),
  refused: z.array(z.tuple([nodeId, whole])),
});

const leaving = z.object({
  attempt: whole,
  isStopped: z.boolean(),
  heir: nodeId.optional(),
  isGone: z.boolean(),
}) as unknown as z.ZodType<LeavingRecord>;

const pots: z.ZodType<readonly Pot[]> = z.array(
  z.object({
    accounts,
    group: z.string(),
    passedMs: ms,
    ceilings: ceilings.optional(),
    isHeard: z.boolean().optional(),
  }),
);

export const VIEW = new Entry<View>({
  key: "members/view",
  shape: viewShape,
  version: 3,
  writer: "mesh/core/members/member-parts.ts",
  holds: "the newest view, and with it what the accounts of former members came to",
  without: "the node is in no mesh: it asks to join, and its earlier share is idle until it is removed",
});

export const VOTES = new Entry<VotesRecord>({
  key: "members/votes",
  shape: votes,
  writer: "mesh/core/members/member-parts.ts",
  holds: "what this node has promised and accepted as a voter on the next view",
  without: "it could vote twice, and two views of one number could be decided",
});

export const FENCES = new Entry<FencesRecord>({
  key: "members/fences",
  shape: fences,
  writer: "mesh/core/members/member-parts.ts",
  holds: "which nodes this one has fenced, and their accounts",
  without: "it could take rows of a node that is being removed, and its slots would be used twice",
});

export const HANDOVERS = new Entry<HandoversRecord>({
  key: "members/handovers",
  shape: handovers,
  writer: "mesh/core/members/member-parts.ts",
  holds: "what leaving nodes have handed over to this one, and which offers it refused",
  without: "nobody would write the accounts of nodes that left to this one",
});

export const LEAVING = new Entry<LeavingRecord>({
  key: "members/leaving",
  shape: leaving,
  writer: "mesh/core/members/departures.ts",
  holds: "that this node is leaving, and to whom it has offered everything",
  without: "it could use slots again that its heir uses",
});

export const POTS = new Entry<readonly Pot[]>({
  key: "members/pots",
  shape: pots,
  writer: "mesh/core/members/member-parts.ts",
  holds: "inherited accounts whose sessions may still exist, and how long they have been held",
  without: "their slots would be used while sessions of a removed node are on them",
});

export const PLEDGES = new Entry<KeptPledge>({
  key: "members/pledges",
  names: ["node"],
  shape: keptPledge,
  writer: "mesh/core/members/member-parts.ts",
  holds: "what this node has acknowledged, as a voter of the present view, that another one holds at most",
  without: "if that one is lost, its whole share may be idle until its sessions are over",
});

export const RUNS = new Entry<readonly Run[]>({
  key: "members/runs",
  shape: z.array(run),
  writer: "mesh/core/members/member-parts.ts",
  holds: "the newest start of each member that this node has heard of",
  without: "a removed node could not report what it held",
});

export const WROTE = new Entry<readonly AccountId[]>({
  key: "members/wrote",
  shape: accounts,
  writer: "mesh/core/members/returns.ts",
  holds: "the accounts that this node wrote when it was removed",
  without: "it cannot report what it held, and its slots stay idle until their time is over",
});

/** Everything that membership keeps. */
export const MEMBER_ENTRIES = [VIEW, VOTES, FENCES, HANDOVERS, LEAVING, POTS, PLEDGES, RUNS, WROTE] as const;
