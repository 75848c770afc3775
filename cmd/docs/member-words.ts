/** Words about the messages between members: views, leases, removals, leaves and returns. */

import { AGAIN_SOON, ASKS_AGAIN, BALLOT, OLD_VIEW, SAME, type WordsByKind } from "./words.ts";

export const MEMBER_WORDS = {
  ping: {
    sent: "By every member to those that it follows, every 2 s, or every 500 ms to ticket counters in use. It asks for a lease, and carries the longest session and a pledge.",
    lost: "the next one serves; after a lease without an answer the sender admits nobody.",
    doubled: "it is answered twice, and the second answer is ignored.",
    late: "a lease counts from the moment of sending, so a late one is worth less.",
  },
  pong: {
    sent: "In answer to a `ping`: the sender's clock, the voters for whom it grants a lease, and the version of the pledge that it keeps.",
    lost: "the next ping is answered.",
    doubled: "the second one is ignored.",
    late: "the lease counts from the ping, not from the answer.",
  },
  "view-wanted": {
    sent: "By a node that has seen a newer view number than its own.",
    lost: AGAIN_SOON,
    doubled: "the view is told once within 200 ms.",
    late: "the newest view is told.",
  },
  decided: {
    sent: "To a node with an older view: the newest view, and the rows that it may lack.",
    lost: "the node is told again when it is next heard in an old view.",
    doubled: SAME,
    late: "a view that is not newer is ignored.",
  },
  join: {
    sent: "By a node without a view to all that it reaches, every 500 ms; a member passes it on to the longest-standing member.",
    lost: AGAIN_SOON,
    doubled: "the node is taken in once.",
    late: "a node that has stopped asking is not taken in.",
  },
  over: {
    sent: "To a node whose identity is used up, or that runs as a later process elsewhere.",
    lost: "it is sent again when the node asks again.",
    doubled: SAME,
    late: "it is about an incarnation, so a later process is not hit.",
  },
  fence: {
    sent: "By the proposer of a removal to all that stay: take nothing more from these nodes.",
    lost: ASKS_AGAIN,
    doubled: "the fence stands already, and the same is told again.",
    late: OLD_VIEW,
  },
  fenced: {
    sent: "In answer to a `fence`: what is known of the fenced nodes' accounts, pledges and starts.",
    lost: ASKS_AGAIN,
    doubled: SAME,
    late: "an answer to another removal is ignored.",
  },
  heard: {
    sent: "In answer to a `fence`, by a member that has heard the node: no removal.",
    lost: ASKS_AGAIN,
    doubled: SAME,
    late: "the nodes are not removed for one more lease.",
  },
  prepare: {
    sent: "By the proposer of a view to the voters (Paxos, phase 1).",
    lost: ASKS_AGAIN,
    doubled: "the promise is told again.",
    late: OLD_VIEW,
  },
  promise: {
    sent: "By a voter, in answer to `prepare`, once the promise is on its disk.",
    lost: ASKS_AGAIN,
    doubled: SAME,
    late: BALLOT,
  },
  accept: {
    sent: "By the proposer, once a majority has promised (Paxos, phase 2). Not to a node that does not understand the wire version of the view.",
    lost: ASKS_AGAIN,
    doubled: "the vote is told again.",
    late: OLD_VIEW,
  },
  accepted: {
    sent: "By a voter, in answer to `accept`, once the vote is on its disk.",
    lost: ASKS_AGAIN,
    doubled: SAME,
    late: BALLOT,
  },
  refusal: {
    sent: "By a voter that has promised a higher ballot, or has heard a node that is to be removed.",
    lost: "the try ends after 1.5 s.",
    doubled: SAME,
    late: BALLOT,
  },
  "took-over": {
    sent: "By the heir of nodes that left to the longest-standing member, every 500 ms until a view says so.",
    lost: AGAIN_SOON,
    doubled: SAME,
    late: OLD_VIEW,
  },
  offer: {
    sent: "By a leaving node to one heir: its accounts, rows, votes, pots and tables.",
    lost: ASKS_AGAIN,
    doubled: "the heir's yes or no is final, and is told again.",
    late: "an offer that was refused stays refused.",
  },
  "heir-wanted": {
    sent: "By a leaving node whose heir is gone, to all others: did it leave to you?",
    lost: ASKS_AGAIN,
    doubled: SAME,
    late: OLD_VIEW,
  },
  "heir-found": {
    sent: "In answer to `heir-wanted`, by the node that has it.",
    lost: ASKS_AGAIN,
    doubled: SAME,
    late: OLD_VIEW,
  },
  "offer-taken": {
    sent: "By the heir, once everything is on its disk. The leaver is done.",
    lost: "the offer is sent again, and so is this.",
    doubled: SAME,
    late: "the leaver waits for it.",
  },
  "offer-refused": {
    sent: "By a node that cannot be heir: it is leaving itself, or a fence stands.",
    lost: "the offer is sent again, and so is this.",
    doubled: SAME,
    late: "it is about one attempt; a later one is not hit.",
  },
  returned: {
    sent: "By a node that was removed and is back, to all that it reaches.",
    lost: AGAIN_SOON,
    doubled: "the same number is asked for.",
    late: "without a pot there is nothing to be said.",
  },
  "testimony-wanted": {
    sent: "By the heir of a returned node: say what you held, with this number.",
    lost: "`returned` is sent again, and so is this.",
    doubled: SAME,
    late: "an answer with an old number counts for nothing.",
  },
  testimony: {
    sent: "By the returned node: the slots that its sessions hold, and its rows.",
    lost: "it is asked for again.",
    doubled: "the second one is ignored: its pot is heard.",
    late: "the number must be that of the question.",
  },
  "testimony-done": {
    sent: "By the heir: there is nothing more to be said. The node goes on as a new one.",
    lost: "the node says it again, and in the end goes on as a new one.",
    doubled: SAME,
    late: "nothing: the node has gone on.",
  },
} as const satisfies WordsByKind;
