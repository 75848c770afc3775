/** Words about the messages of rooms: slots, places, sessions, and what rooms hear of each other. */

import { SAME, type WordsByKind } from "./words.ts";

export const ROOM_WORDS = {
  ask: {
    sent: "By a gate to the ticket counter, for all visitors of the moment.\n`anew` asks as for a new visitor, because no node knows it where it was sent; `place` asks for a place in line.",
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
    sent: "By the ticket counter to the nodes of its locality, every 500 ms, and at once if it calls others right after slots came free: a summary of the line, its horizon, and the order in which places are drawn.",
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
  left: {
    sent: "By a gate to the ticket counter of a line, as soon as one answers: visitors gave up their places, or stand in the line of the gate's locality now.",
    lost: "the gate sends it again.",
    doubled: "these places are gone already.",
    late: "a visitor who has come back to that line is in it again with the next poll.",
  },
  revoke: {
    sent: "To every member, by the gate whose origin has ended a session: serve no copy of its cookie, to `lastGood` at least.",
    lost: "it is asked again; the slot is held until all have answered.",
    doubled: "it is noted once, and answered twice.",
    late: "the slot is held for longer.",
  },
  noted: {
    sent: "In answer to `revoke`, once it is on the disk, and to `left`.",
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
  gauges: {
    sent: "By every member to all, when they change, and every 5 s: lease, free slots, line and sessions of each room.",
    lost: "the next ones serve; after 20 s a node's gauges count for nothing.",
    doubled: SAME,
    late: "slots are asked for where none are, or not where some are.",
  },
} as const satisfies WordsByKind;
