/** What the pages on messages and on stored entries say before their tables, and of each part of the protocol. */

import type { MessagePart } from "../../node/peer/message-kinds.ts";

export const PROTOCOL_INTRO = `This page is for the engineer who changes what nodes say, or reads a trace.
[mesh.md](mesh.md) tells the same as stories; [upgrade.md](upgrade.md) says how versions live together.

Nodes are connected by TCP; both sides have proved the mesh key.
A connection has two streams: one for small messages, one for rows and tables, so that a heartbeat never waits behind a table.
What is for all goes by gossip, signed by its author.
A frame has one byte for the wire version, then messages in MessagePack, the first of them a \`stamp\`.
It has at most 1 MiB; a larger message, of 8 MiB at most, travels as pieces (\`piece\`).

Every message may be lost, doubled or late; what each costs then is said below.
A message of an unknown kind is ignored, and so is a field that a shape does not name.
A value that is not as its shape says is a fault; a node with more than 20 faults is cut off for a minute.
Messages about slots count only if both nodes have the same view.`;

export const ENTRIES_INTRO = `This page is for the engineer who looks into a data directory, or changes what is stored.
The entries lie in \`anteroom.db\` (SQLite), as MessagePack by key.
Each has one writer, and is checked by its shape before it is used.

An entry that is damaged stops the start; the error names it, and says what is lost without it.
An entry that no part of this release writes is of a newer release: it is kept, and named in the log.
The keys of the mesh and the node, and the admin token, are files beside the database.
\`history.db\` has the minutes of all nodes, in tables of its own: [analytics.md](analytics.md#how-much-disk-it-takes).
A node starts without it: a damaged one is set aside as \`history.db.aside\`, and begun again.`;

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
      "About the draw of one event; see [draw.md](draw.md).\nWhat a node has done is signed by it, and passed on by others; nothing in it is ever taken back.",
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
