/** What the pages on messages and on stored entries say before their tables, and of each part of the protocol. */

import type { MessagePart } from "../../node/peer/message-kinds.ts";

/** Both pages follow docs/wire-and-disk.md, which says what holds for all of them. */
export const PROTOCOL_INTRO =
  "All messages between nodes. docs/wire-and-disk.md says how they travel, and what is done with a wrong one.";

export const ENTRIES_INTRO =
  "All entries of `anteroom.db`. docs/wire-and-disk.md says how they are read, and what else a node keeps.";

export const PARTS: Readonly<Record<MessagePart, { readonly title: string; readonly words: string }>> = {
  frame: { title: "The frame", words: "Each frame on a stream begins with this." },
  addresses: { title: "Addresses", words: "Nodes pass on where others can be dialled, and what operators call them." },
  members: {
    title: "Members and views",
    words:
      "Each has the sender's view and incarnation.\nIf the views differ, the node with the newer one answers with `decided`, and the message counts for nothing more.",
  },
  replica: {
    title: "Rows and registers",
    words:
      "Rows say what accounts have given and counted; registers hold rooms, and orders about them.\nBoth merge to the same state in whatever order they come.",
  },
  rooms: {
    title: "Rooms",
    words:
      "About one room, between members of one view.\nQuestions carry a number; a question that comes twice gets the same answer twice.",
  },
  answers: { title: "Answers to rooms", words: "They carry the number of the question." },
  gauges: { title: "Gauges", words: "For moving slots and for people, never for admission." },
  draws: {
    title: "Draws",
    words:
      "About the draw of one event; see [draw.md](draw.md).\nThey say who has joined before its start; lists only grow until they are closed.",
  },
  history: {
    title: "History",
    words:
      "What each node counted in the minutes that are over; see [analytics.md](analytics.md).\nRecords never change and are numbered, so they merge by union.",
  },
  "power-loss": {
    title: "After a loss of power",
    words: "A node that may have lost commits uses nothing until it knows its gifts again.",
  },
};
