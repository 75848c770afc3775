/**
 * What nodes tell each other about membership, and the shapes by which it is checked on arrival.
 *
 * Every message carries the number of the sender's view and its incarnation. The node with the newer view sends it to
 * the other before anything else, so all questions and answers are about the successor of one view that both know.
 */

import { z } from "zod";
import { ACCOUNTS_MAX, accountId, ceilings, listOf, locality, nodeId, rowData, whole } from "../wire/shapes.ts";
import type { Ballot, VoterState } from "./paxos.ts";
import { ceilingsOfOne, keptPledge, MEMBERS_MAX, run, viewShape } from "./view-shape.ts";

const head = {
  /** The sender's view; 0 for none. */
  view: whole,
  incarnation: whole,
};

/** The view by which accounts were inherited. */
const potGroup = z.string().max(100);

const nodes = listOf(nodeId, MEMBERS_MAX);
const accounts = listOf(accountId, ACCOUNTS_MAX);
const rows = listOf(rowData, ACCOUNTS_MAX);
const ballot: z.ZodType<Ballot> = z.tuple([whole, whole, nodeId]);
const acceptedValue = z.object({ ballot, value: viewShape });
export const voterState: z.ZodType<VoterState> = z.object({ promised: ballot, accepted: acceptedValue.optional() });

const shapes = {
  ping: z.object({
    kind: z.literal("ping"),
    ...head,
    id: whole,
    /** What the sender pledges, if the receiver does not keep it yet. */
    pledge: z.object({ to: whole, since: whole, ...ceilingsOfOne }).optional(),
  }),
  pong: z.object({
    kind: z.literal("pong"),
    ...head,
    id: whole,
    /** The incarnation that asked: ids start over with each. */
    asker: whole,
    wallMs: z.number(),
    /** Voters for whose lease this is an answer. */
    grants: nodes,
    /** Members that left to the sender. */
    leavers: nodes,
    /** The version of the asker's pledge that the sender keeps; 0 or left out if none. */
    pledged: whole.optional(),
  }),
  "view-wanted": z.object({ kind: z.literal("view-wanted"), ...head }),
  decided: z.object({ kind: z.literal("decided"), ...head, decided: viewShape }),
  join: z.object({ kind: z.literal("join"), ...head, node: nodeId, locality }),
  /** The receiver's identity is over: it was removed or has left, or it runs elsewhere as `newest`. */
  over: z.object({ kind: z.literal("over"), ...head, newest: whole.optional() }),
  /** `left`: those of `nodes` that have left; the others are to be removed. */
  fence: z.object({ kind: z.literal("fence"), ...head, nodes, left: nodes, isForgetting: z.boolean() }),
  fenced: z.object({
    kind: z.literal("fenced"),
    ...head,
    nodes,
    /** Gifts of the accounts of `nodes`, and those of the sender's accounts to them. */
    copies: rows,
    writes: accounts,
    /** Those of `writes` that are in pots. */
    inPots: accounts,
    leavers: nodes,
    /** The newest start of each of `nodes` that the sender knows. */
    runs: listOf(run, MEMBERS_MAX),
    /** Whether the sender may lack gifts that it was given. */
    lacksGifts: z.boolean().optional(),
  }),
  /** No fence: these nodes have been heard lately. */
  heard: z.object({ kind: z.literal("heard"), ...head, nodes }),
  /** `all`: every member is asked for its vote, not only the voters. */
  prepare: z.object({ kind: z.literal("prepare"), ...head, ballot, all: z.boolean() }),
  promise: z.object({
    kind: z.literal("promise"),
    ...head,
    ballot,
    votes: listOf(z.tuple([nodeId, acceptedValue.nullable()]), MEMBERS_MAX),
    /** What the sender knows of others' pledges: it acknowledges no more in this view. */
    pledges: listOf(keptPledge, MEMBERS_MAX),
  }),
  accept: z.object({
    kind: z.literal("accept"),
    ...head,
    ballot,
    value: viewShape,
    all: z.boolean(),
    /** Nodes for whose sake it may be refused, since it removes them; none if the value was already accepted. */
    removes: nodes,
  }),
  accepted: z.object({ kind: z.literal("accepted"), ...head, ballot, voters: nodes }),
  /** No promise or vote in this ballot: because of a higher one, or of nodes heard lately. */
  refusal: z.object({ kind: z.literal("refusal"), ...head, ballot, promised: ballot.optional(), heard: nodes }),
  "took-over": z.object({ kind: z.literal("took-over"), ...head, leavers: nodes }),
  offer: z.object({
    kind: z.literal("offer"),
    ...head,
    attempt: whole,
    /** The sender, and the members that left to it. */
    leavers: nodes,
    accounts,
    /**
     * The rows of `accounts`, and from all other rows the gifts to them: the sender may be the only one that knows a
     * gift on which its sessions rest.
     */
    rows,
    voters: listOf(z.tuple([nodeId, voterState.nullable()]), MEMBERS_MAX),
    pots: listOf(
      z.object({
        accounts,
        group: potGroup,
        passedMs: z.number().min(0),
        ceilings: ceilings.optional(),
        isHeard: z.boolean().optional(),
      }),
      ACCOUNTS_MAX,
    ),
    tables: z.unknown(),
  }),
  /** Has this member left to the receiver? The sender has offered everything to it. */
  "heir-wanted": z.object({ kind: z.literal("heir-wanted"), ...head, of: nodeId }),
  /** It has: these are all members that have left to the sender. */
  "heir-found": z.object({ kind: z.literal("heir-found"), ...head, leavers: nodes }),
  "offer-taken": z.object({ kind: z.literal("offer-taken"), ...head }),
  "offer-refused": z.object({ kind: z.literal("offer-refused"), ...head, attempt: whole }),
  /** The sender was removed, and can say what it held. */
  returned: z.object({ kind: z.literal("returned"), ...head }),
  /** The receiver's accounts are in a pot of the sender's: it should report what it held, with this number. */
  "testimony-wanted": z.object({ kind: z.literal("testimony-wanted"), ...head, nonce: whole }),
  testimony: z.object({
    kind: z.literal("testimony"),
    ...head,
    nonce: whole,
    /** The incarnation of the run that wrote the tables. */
    run: whole,
    /** The accounts that the sender wrote when it was removed, except those of its own pots. */
    accounts,
    /** Their rows when the sender was removed, or as its disk had them at the start. Counts: see `rowsOfReport`. */
    rows,
    tables: z.unknown(),
  }),
  /** There is nothing more to report. */
  "testimony-done": z.object({ kind: z.literal("testimony-done"), ...head, isTaken: z.boolean() }),
};

const { fence, fenced, heard, prepare, promise, accept, accepted, refusal } = shapes;
const passedOn = { fence, fenced, heard, prepare, promise, accept, accepted, refusal };

/** What is passed on: questions of a proposer, and their answers. */
export const PASSED_ON: ReadonlySet<string> = new Set(Object.keys(passedOn));

/** The shapes of these messages by kind, for the codec. */
export const memberShapes = {
  ...shapes,
  /** What `from` says to `to`, by way of the receiver or of the sender; see relays.ts. */
  relay: z.object({
    kind: z.literal("relay"),
    ...head,
    from: nodeId,
    to: nodeId,
    message: z.discriminatedUnion("kind", [fence, fenced, heard, prepare, promise, accept, accepted, refusal]),
  }),
};

export type MemberMessage = z.output<(typeof memberShapes)[keyof typeof memberShapes]>;
export type MemberMessageKind = MemberMessage["kind"];
export type Of<Kind extends MemberMessageKind> = Extract<MemberMessage, { kind: Kind }>;

type WithoutHead<One> = One extends MemberMessage ? Omit<One, "view" | "incarnation"> : never;
/** A message before its head is put on. */
export type MemberMessageBody = WithoutHead<MemberMessage>;
