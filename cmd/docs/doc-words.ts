/**
 * What the tables do not say of each kind of message: when it is sent, and what happens if it is lost, doubled or late.
 * A kind without words does not compile.
 */

import type { MessageKind } from "../../node/peer/message-kinds.ts";

interface Words {
  readonly sent: string;
  readonly lost: string;
  readonly doubled: string;
  readonly late: string;
}

const AGAIN_SOON = "it is sent again within seconds.";
const SAME = "nothing: it says the same again.";
const OLD_VIEW = "it counts for nothing in a newer view.";
const ASKS_AGAIN = "the sender asks again while it has no answer.";
const BALLOT = "an answer for another ballot is ignored.";

export const WORDS: Readonly<Record<MessageKind, Words>> = {
  stamp: {
    sent: "By every node, first in each frame: the view in which the frame was written.",
    lost: "the whole frame is lost.",
    doubled: "the whole frame is doubled.",
    late: "messages about slots count only in the view that it names.",
  },
  addresses: {
    sent: "To a node when a connection is made, and by gossip when an address is new.",
    lost: "the node is dialled at the addresses that are known, or learns of others with the next connection.",
    doubled: SAME,
    late: "an old address is dialled in vain until a newer one is heard; an old name is for people alone.",
  },
  ping: {
    sent: "By every member to those that it follows, every 2 s, or every 500 ms to ticket counters in use. It asks for a lease, and carries the longest session, the island time and a pledge.",
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
    sent: "By a node without a view to all that it reaches, every 500 ms; a member passes it on to the eldest.",
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
    sent: "By the heir of nodes that left to the eldest member, every 500 ms until a view says so.",
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
  rows: {
    sent: "By gossip when parts of rows or registers are new, and in answers to `digest` and `want`.",
    lost: "a digest finds what is missing, after a few seconds.",
    doubled: "a part that is not newer is ignored.",
    late: "totals only grow: an older part changes nothing.",
  },
  digest: {
    sent: "To a random peer every 2 s, and when a connection is made: which versions of all rows the sender knows.",
    lost: "the next one serves.",
    doubled: "rows may be sent twice.",
    late: "rows are sent that are known already.",
  },
  want: {
    sent: "In answer to a `digest` or to `stamps`: what the sender lacks.",
    lost: "the next digest finds it.",
    doubled: "rows may be sent twice.",
    late: SAME,
  },
  stamps: {
    sent: "In answer to a `digest` whose sum of registers differs: the stamps of all registers.",
    lost: "the next digest finds it.",
    doubled: "registers may be sent twice.",
    late: "a register that is not newer is ignored.",
  },
  ask: {
    sent: "By a gate to the ticket counter, for all visitors of the moment.",
    lost: "after 1.5 s a stand-in is asked.",
    doubled: "it is answered once, and the same answer is sent again.",
    late: "visitors get a place or a slot that they no longer wait for; the slot is the gate's.",
  },
  told: {
    sent: "In answer to `ask`: a slot, a place in line, or neither, for each visitor. Slots come as a gift in `row`.",
    lost: "the gate asks a stand-in; the slots reach it with the giver's published row.",
    doubled: "the second one is ignored.",
    late: "it is ignored; the slots reach the gate with the giver's published row.",
  },
  recall: {
    sent: "By a ticket counter that has no slot, to a node that has free ones.",
    lost: "after 1 s the node counts as having none.",
    doubled: "it is answered once, and the same answer is sent again.",
    late: "slots come that are needed no more; they drift back.",
  },
  lent: {
    sent: "In answer to `recall`: slots as a gift in `row`, and what is still free.",
    lost: "the slots reach the asker with the giver's published row.",
    doubled: "the second one is ignored.",
    late: "it is ignored; the slots come with the published row.",
  },
  "check-in": {
    sent: "By a gate to the home of sessions, or to their stand-in, once a minute for each session that is active.",
    lost: "after 1.5 s the stand-in is asked, or the cookie stays as it is.",
    doubled: "it is answered once, and the same answer is sent again.",
    late: "the home holds a slot that no cookie speaks of until the minute is over.",
  },
  extend: {
    sent: "By a gate to the home of a session, when the origin gives it a new term.",
    lost: "after 0.1 s the answer goes out with the cookie as it is.",
    doubled: "it is answered once, and the same answer is sent again.",
    late: "the home holds the slot for the new term, at most for a whole session, although no cookie speaks of it.",
  },
  checked: {
    sent: "In answer to `check-in` and `extend`, once the slot is held on the disk: the last good minute of each session, or why none.",
    lost: "the cookie stays as it is, and the next request asks again.",
    doubled: "the second one is ignored.",
    late: "it is ignored; the next request asks again.",
  },
  claim: {
    sent: "By a gate to the keeper of a pass that is good for one visitor at a time: before that visitor joins or enters, and again while place or session last.",
    lost: "after 1.5 s the claim counts as granted; a later one of the same visitor finds out.",
    doubled: "it is answered once, and the same answer is sent again.",
    late: "the keeper holds a claim that the gate repeats or lets run out.",
  },
  claimed: {
    sent: "In answer to `claim`: for each, whether the visitor has the pass, or another one had it before.",
    lost: "the claim counts as granted until it is repeated.",
    doubled: "the second one is ignored.",
    late: "it is ignored; the claim is repeated.",
  },
  gift: {
    sent: "To a node that is to have free slots: units, in the giver's row.",
    lost: "the units reach the receiver with the giver's published row.",
    doubled: "nothing: a gift is a total, not a difference.",
    late: "in a newer view it is ignored, and comes with the published row.",
  },
  line: {
    sent: "By the ticket counter to the nodes of its locality, every 500 ms: a summary of the line, its horizon, and the order in which places are drawn.",
    lost: "the next one serves; a view of the line older than 2 s counts for nothing.",
    doubled: SAME,
    late: "an older line is shown for half a second.",
  },
  polls: {
    sent: "By a gate to the ticket counter, every 500 ms: who has asked again, and when they ask next.",
    lost: "a visitor seems to be gone when two and a half intervals are over, and is back with the next poll.",
    doubled: SAME,
    late: "as if lost.",
  },
  revoke: {
    sent: "To every member, by the gate whose origin has ended a session: serve no copy of its cookie.",
    lost: "it is asked again; the slot is held until all have answered.",
    doubled: "it is noted once, and answered twice.",
    late: "the slot is held for longer.",
  },
  noted: {
    sent: "In answer to `revoke`, once it is on the disk.",
    lost: "the question is asked again.",
    doubled: "the second one is ignored.",
    late: "the slot is held for longer.",
  },
  release: {
    sent: "To the home of an ended session, once all members refuse it: its slot is free.",
    lost: "the slot is free at the end of the stay.",
    doubled: "the session is ended already.",
    late: "the slot is free later.",
  },
  log: {
    sent: "By the node that keeps a line to the others of its locality: the last three entries of the public log with each new one, and in answer to `log-wanted` all that the other lacks, 256 at a time.",
    lost: "the next one shows that an entry is missing, and it is asked for.",
    doubled: "entries that are known are ignored.",
    late: "entries that are known are ignored.",
  },
  "log-wanted": {
    sent: "By a node that lacks entries, and by one that is about to keep the line: the number and digest of its newest entry.",
    lost: "it is asked again with the next entry.",
    doubled: SAME,
    late: SAME,
  },
  gauges: {
    sent: "By every member to all that hear it, when they change, and every 5 s: lease, free slots, line and sessions of each room.",
    lost: "the next ones serve; after 20 s a node's gauges count for nothing.",
    doubled: SAME,
    late: "slots are asked for where none are, or not where some are.",
  },
  sites: {
    sent: "By the speaker of a locality to the other speakers, and by each of these on to its own: sums of its rooms.",
    lost: "the next one serves; after 45 s it counts for nothing.",
    doubled: "the second one is ignored.",
    late: "an older one is ignored.",
  },
  draws: {
    sent: "By the voters to all members, and by others to the voters, when something is new, and every 500 ms while a draw is to be decided: what the sender and others have done in it.",
    lost: AGAIN_SOON,
    doubled: "an older or equal version is ignored.",
    late: "an older version is ignored; the outcome is the same whenever it comes.",
  },
  roll: {
    sent: "To the voters and within the locality, every 500 ms with those who joined since, and with what a node lacks by its `roll-sums`.",
    lost: "the next comparison brings it again.",
    doubled: "rolls merge by union.",
    late: "after the list is closed nobody is added to it; the visitors' places are the same.",
  },
  "roll-sums": {
    sent: "To the same nodes every 2 s, and every 500 ms after the start until the draw is decided.",
    lost: AGAIN_SOON,
    doubled: "what the sender lacks is sent twice.",
    late: "the sender may get what it has by now.",
  },
  "list-sums": {
    sent: "Once a draw is decided, by a voter, or by a node that is asked for the draw's file, every 500 ms until it has the list that was closed: to a node that may have it.",
    lost: AGAIN_SOON,
    doubled: "what the sender lacks is sent twice.",
    late: "the sender may get what it has by now.",
  },
  "list-ids": {
    sent: "In answer to `list-sums`: the ids of each part that differs, at most 50,000 and one part more for one question.",
    lost: "the next question finds what still differs.",
    doubled: "a part is replaced by itself.",
    late: "the list never changes, and its digest says whether it is here.",
  },
  history: {
    sent: "By gossip when a minute is over, by the node that counted it; and in answer to `history-wanted`, at most 300 records at a time. `more`: there is more to ask for.",
    lost: "the next question finds it, within 15 s.",
    doubled: "records that are here are ignored: they never change.",
    late: "records that are here are ignored; those after a gap are asked for.",
  },
  "history-wanted": {
    sent: "To a random member every 15 s, and every second while the sender lacks much: how many records of each run of each node it has. Not by a node under pressure, which does not answer it either.",
    lost: "the next one serves.",
    doubled: "records may be sent twice.",
    late: "records are sent that are known already.",
  },
  "right-wanted": {
    sent: "By a node that is asked for a change under a condition, to the node that decides about its subject: what is to be changed, and the latest stamp of its state there.",
    lost: "after 1 s the next node is asked, and after another one the change goes on.",
    doubled: "it is answered twice; a right that is returned once then stays for its 10 s.",
    late: "a right that nobody uses keeps other nodes out for 10 s.",
  },
  right: {
    sent: "In answer to `right-wanted`: whether the sender of that one has the right to change this state. No other node gets it for 10 s.",
    lost: "the next node is asked.",
    doubled: "the second one is ignored.",
    late: "it is ignored; the next node was asked.",
  },
  "right-returned": {
    sent: "To the node that gave a right, if nothing was changed under it.",
    lost: "other nodes do not get it for 10 s.",
    doubled: "the second one returns the right of another change at the same node and time, if there is one.",
    late: "it is ignored if the state has changed.",
  },
  "gifts-wanted": {
    sent: "By a node that may have lost commits, to every member, every 500 ms until all have answered. By a node that has just started, in answer to a member's digest, until it is sure of its disk.",
    lost: AGAIN_SOON,
    doubled: SAME,
    late: "it is answered by what is true then.",
  },
  gifts: {
    sent: "In answer to `gifts-wanted`: what the sender's accounts were given by the node that asks. If its disk has less, and the host has run on, the disk is an old one.",
    lost: "it is asked for again.",
    doubled: SAME,
    late: "gifts are totals: an older one changes nothing.",
  },
};
