/**
 * Words about the other messages of a node: frames and addresses, draws, history, losses of power.
 */

import { AGAIN_SOON, SAME, type WordsByKind } from "./words.ts";

export const PEER_WORDS = {
  stamp: {
    sent: "By every node, first in each frame: the view in which the frame was written.",
    lost: "the whole frame is lost.",
    doubled: "the whole frame is doubled.",
    late: "messages about slots count only in the view that it names.",
  },
  piece: {
    sent: "In place of a frame of more than 1 MiB, in a frame without a stamp: a part of its bytes. The bytes of all pieces with the same `id`, in the order of `at`, are read as one frame.",
    lost: "the whole message is lost.",
    doubled: SAME,
    late: "the message counts when its last piece has come, unless two newer messages in pieces have begun.",
  },
  addresses: {
    sent: "To a node when a connection is made, and by gossip when an address is new.",
    lost: "the node is dialled at the addresses that are known, or learns of others with the next connection.",
    doubled: SAME,
    late: "an old address is dialled in vain until a newer one is heard; an old name is for people alone.",
  },
  roll: {
    sent: "To the voters and within the locality, every 500 ms with those who joined since, and with what a node lacks by its `roll-sums`.",
    lost: "the next comparison brings it again.",
    doubled: "rolls merge by union.",
    late: "after the list is closed nobody is added to it; the visitors' places are the same.",
  },
  "roll-sums": {
    sent: "To the same nodes every 2 s, every 500 ms in the seconds after the start, and every 10 s after that until the event ends.",
    lost: AGAIN_SOON,
    doubled: "what the sender lacks is sent twice.",
    late: "the sender may get what it has by now.",
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
} as const satisfies WordsByKind;
