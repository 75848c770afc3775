/**
 * Which part of a membership each message is for, and when it counts at all.
 *
 * The order is what the proofs of the parts need. Views come first: a message of another view is answered with the
 * newer of the two views, and used for nothing else, so all that members say to each other in one step is about one
 * view. A node whose offer is out hears nothing but its answer, and further offers. A node that may have forgotten what
 * it answered before decides nothing.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Decider } from "./decider.ts";
import type { Departures } from "./departures.ts";
import type { MemberMessage, Of } from "./member-messages.ts";
import type { MemberParts } from "./member-parts.ts";
import type { Pings } from "./pings.ts";
import type { Proposer } from "./proposer.ts";
import type { Returns } from "./returns.ts";
import type { Views } from "./views.ts";

/** What a node answers only if it remembers all its earlier answers: others depend on them. */
const DECIDING: ReadonlySet<MemberMessage["kind"]> = new Set(["fence", "prepare", "accept", "offer"]);

export interface InboxHandlers {
  readonly views: Views;
  readonly pings: Pings;
  readonly decider: Decider;
  readonly proposer: Proposer;
  readonly departures: Departures;
  readonly returns: Returns;
}

export class Inbox {
  readonly #parts: MemberParts;
  readonly #handlers: InboxHandlers;

  constructor(parts: MemberParts, handlers: InboxHandlers) {
    this.#parts = parts;
    this.#handlers = handlers;
  }

  /** Hands a message of another node, or of this one to itself, to its part. False if it is its sender's fault. */
  hear(from: NodeId, message: MemberMessage, now: Instant): boolean {
    switch (message.kind) {
      case "over":
        this.#handlers.views.hearOver(message);
        return true;
      case "view-wanted":
        this.#handlers.views.tellView(from, message.view, now);
        return true;
      case "decided":
        this.#handlers.views.hearDecided(message, now);
        return true;
      case "join":
        if (this.#parts.tenure.over === undefined) this.#handlers.views.hearJoin(from, message, now);
        return true;
      case "returned":
      case "testimony":
        if (this.#parts.tenure.over === undefined) this.#handlers.returns.hearReturned(from, message, now);
        return true;
      case "testimony-wanted":
        this.#handlers.returns.witness.asked(from, message.nonce, now);
        return true;
      case "testimony-done":
        this.#handlers.returns.witness.done();
        return true;
    }
    if (message.kind === "ping") this.#parts.heartbeats.heard(from, now);
    if (message.view !== this.#parts.book.number || !this.#parts.book.nodes.has(from)) {
      if (from !== this.#parts.self) this.#handlers.views.sawView(from, message.view, now);
      return true;
    }
    switch (message.kind) {
      case "heir-wanted":
        this.#handlers.departures.hearHeirWanted(from, message, now);
        return true;
      case "heir-found":
        this.#handlers.departures.noteLeavers(from, message.leavers, now);
        return true;
      case "offer-taken":
        this.#handlers.departures.leaver.taken(from);
        return true;
      case "offer-refused":
        this.#handlers.departures.leaver.refused(from, message.attempt, now);
        return true;
    }
    if (message.kind === "relay") return this.#hearRelay(from, message, now);
    const { leaver } = this.#handlers.departures;
    if (this.#parts.tenure.over === undefined && !leaver.isOffering) return this.#hearMember(from, message, now);
    if (message.kind === "offer") this.#handlers.departures.hearOffer(from, message, now);
    return true;
  }

  /** Passes a message on, or hears it as one of the member that it is from. */
  #hearRelay(by: NodeId, relay: Of<"relay">, now: Instant): boolean {
    const { self, relays, tenure } = this.#parts;
    const { from, to, message } = relay;
    if (to !== self) {
      if (relays.passesOn(by, relay, now)) this.#parts.send(to, { kind: "relay", from, to, message }, now);
      return true;
    }
    if (from === self || !tenure.isCurrent(from, message.incarnation)) return true;
    relays.noteThrough(by, from);
    return this.hear(from, message, now);
  }

  /** A message from a member, in the same view. */
  #hearMember(from: NodeId, message: MemberMessage, now: Instant): boolean {
    if (DECIDING.has(message.kind) && !this.#parts.app.isInStep()) return true;
    switch (message.kind) {
      case "ping":
        this.#handlers.pings.answerPing(from, message, now);
        return true;
      case "pong":
        this.#handlers.pings.hearPong(from, message, now);
        return true;
      case "fence":
        this.#handlers.decider.hearFence(from, message, now);
        return true;
      case "prepare":
        this.#handlers.proposer.saw(message.ballot);
        this.#handlers.decider.hearPrepare(from, message, now);
        return true;
      case "accept":
        this.#handlers.proposer.saw(message.ballot);
        return this.#handlers.decider.hearAccept(from, message, now);
      case "fenced":
        this.#handlers.proposer.fenced(from, message, now);
        return true;
      case "heard":
        this.#handlers.proposer.heard(from, message.nodes, now);
        return true;
      case "promise":
        this.#handlers.proposer.promised(
          from,
          { ...message, votes: message.votes.filter(([voter]) => this.#parts.succession.isKeptBy(from, voter)) },
          now,
        );
        return true;
      case "accepted":
        this.#handlers.proposer.accepted(
          { ...message, voters: message.voters.filter((voter) => this.#parts.succession.isKeptBy(from, voter)) },
          now,
        );
        return true;
      case "refusal":
        this.#handlers.proposer.refused(message, now);
        return true;
      case "took-over":
        this.#handlers.departures.noteLeavers(from, message.leavers, now);
        return true;
      case "offer":
        this.#handlers.departures.hearOffer(from, message, now);
        return true;
      default:
        return true;
    }
  }
}
