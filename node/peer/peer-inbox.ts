/**
 * Hands each message of another node to its part, if it may be used at all: what a message needs to count is decided
 * here.
 *
 * Messages about shares count in the view in which they were written, and from members only. Those that end or begin
 * sessions wait until the rooms' time is known.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { ReplicaMessage } from "../../mesh/core/replica/replica-messages.ts";
import { AT_REST_KINDS, isOf, type MessageOf, type PeerMessage } from "./message-kinds.ts";
import type { PeerParts } from "./peer-parts.ts";

function isAboutShares(message: PeerMessage): boolean {
  return isOf(message, "answers") || isOf(message, "rooms") || isOf(message, "power-loss");
}

export class PeerInbox {
  readonly #parts: PeerParts;

  constructor(parts: PeerParts) {
    this.#parts = parts;
  }

  /** A frame that came from `from` on a stream. Returns whether it was more than a heartbeat. */
  receive(from: NodeId, frame: Uint8Array): boolean {
    const { frames, members, time } = this.#parts;
    const messages = frames.received(from, frame);
    const [stamp] = messages;
    if (stamp?.kind !== "stamp") return false;
    // Members' own messages carry their view themselves; a node without one has asked to join.
    if (messages.some(isAboutShares) && stamp.view > 0 && members.view !== undefined)
      members.sawView(from, stamp.view, time.now);
    const mayShare = stamp.view === members.view?.number && members.isMember(from);
    for (const message of messages.slice(1)) frames.blame(from, this.#hear(from, message, mayShare));
    return messages.some(({ kind }) => !AT_REST_KINDS.has(kind));
  }

  /** A frame that `from` published. */
  published(from: NodeId, frame: Uint8Array): void {
    const { frames, members, replica, gauges, history, time } = this.#parts;
    members.heardGossip(from, time.now);
    for (const message of frames.heard(from, frame)) {
      if (message.kind === "rows") frames.blame(from, replica.heard(message, from, time.newsMs).faults);
      else if (message.kind === "gauges") {
        if (members.isMember(from)) gauges.hear(from, message, time.now);
      } else if (message.kind === "addresses") this.#hearAddresses(message);
      else if (message.kind === "history" && members.isMember(from)) history?.hear(from, message, true);
    }
  }

  /** Takes a message in; returns how many faults it had. */
  #hear(from: NodeId, message: PeerMessage, mayShare: boolean): number {
    const { members, draws, history, powerLoss, calls, rooms, time } = this.#parts;
    if (isOf(message, "members")) return members.receive(from, message, time.now) ? 0 : 1;
    if (isOf(message, "replica")) return this.#hearReplica(from, message);
    if (isOf(message, "addresses")) this.#hearAddresses(message);
    else if (isOf(message, "draws")) {
      if (members.isMember(from) && time.isTrusted) draws.hear(from, message);
    } else if (isOf(message, "history")) {
      if (members.isMember(from)) history?.hear(from, message);
    } else if (!mayShare) return 0;
    else if (isOf(message, "power-loss")) powerLoss.hear(from, message);
    // An answer carries a gift, which may only come in the view it was given in.
    else if (isOf(message, "answers")) calls.answered(from, message, time.now.steadyMs);
    else if (isOf(message, "rooms") && time.isTrusted) rooms.get(message.room)?.receive(from, message, time.roomMs);
    return 0;
  }

  #hearAddresses({ nodes, names = [] }: MessageOf<"addresses">): void {
    this.#parts.addresses.hear(nodes);
    this.#parts.names.hear(names);
  }

  #hearReplica(from: NodeId, message: ReplicaMessage): number {
    const { guard, replica, members, outbox, time } = this.#parts;
    if (message.kind === "digest") guard.compared(from, message.isInStep === true);
    const { answers, faults } = replica.heard(message, from, time.newsMs);
    // Two nodes that have not joined yet agree on nothing at all.
    if (message.kind === "digest" && message.registers === replica.registersDigest && members.isMember(from))
      guard.registersAgree();
    for (const answer of answers) outbox.send(from, answer);
    // On the same stream: once it is answered, so are the questions before.
    if (message.kind === "digest" && guard.wantsGifts(from)) outbox.send(from, { kind: "gifts-wanted" });
    return faults;
  }
}
