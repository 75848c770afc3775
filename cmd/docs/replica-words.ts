/** Words about the messages that spread rows and registers. */

import { SAME, type WordsByKind } from "./words.ts";

export const REPLICA_WORDS = {
  rows: {
    sent: "By gossip when parts of rows or registers are new, and in answers to `digest` and `want`. Rows that take something back are answered with those that are kept.",
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
} as const satisfies WordsByKind;
