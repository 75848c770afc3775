/** The proposer of a node: what it may know of the node's membership, and where its messages and decisions go. */

import type { Instant } from "../instant.ts";
import type { MemberParts } from "./member-parts.ts";
import { Proposer } from "./proposer.ts";
import type { Reachability } from "./reachability.ts";
import type { View } from "./view.ts";

export interface OwnProposerParts {
  readonly reach: Reachability;
  readonly random: () => number;
  readonly decided: (view: View, now: Instant) => void;
}

export function ownProposer(parts: MemberParts, { reach, random, decided }: OwnProposerParts): Proposer {
  const { self, incarnation, leaseMs, book, heartbeats, sessions, joins, voter, fences, wires, app } = parts;
  return new Proposer({
    self,
    incarnation,
    leaseMs,
    random,
    joins,
    decided,
    view: () => book.known,
    isAnswering: (node, now) => heartbeats.isAnswering(node, now),
    isThere: (node, now) => heartbeats.isThere(node, now),
    mayAnswer: (node, now) => reach.mayAnswer(node, now),
    quietMs: (node, now) => heartbeats.quietMs(node, now) ?? 0,
    heirOf: (node) => parts.succession.heirOf(node),
    nameKeptMs: () => sessions.nameKeptMs,
    nextSessions: (now) => sessions.next(now),
    nextWire: (now) => wires.next(() => parts.succession.staying, parts.wire, now.steadyMs),
    understands: (view) => parts.isUnderstood(view, self),
    hasVoted: () => voter.hasVoted,
    hasPromised: () => voter.hasPromised,
    hasFenced: () => fences.stand,
    isFenced: (node) => fences.has(node),
    send: (to, message, now) => {
      // A node that is back with an earlier release could not be a member of that view.
      if (message.kind !== "accept" || parts.isUnderstood(message.value, to)) parts.send(to, message, now);
    },
    log: (text) => app.log(text),
  });
}
