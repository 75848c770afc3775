/**
 * The mesh as a model's rooms see it: the real `PeerRoomNode`, with members that always stand, or stand as the model
 * says.
 */

import { type AccountId, accountOf, type NodeId } from "../../mesh/core/ids.ts";
import type { LongestSession } from "../../mesh/core/members/longest-session.ts";
import type { Members } from "../../mesh/core/members/members.ts";
import type { Reachability } from "../../mesh/core/members/reachability.ts";
import { MINUTE_MS } from "../../mesh/core/minute.ts";
import type { Replica } from "../../mesh/core/replica/replica.ts";
import type { Outbox } from "../../mesh/core/wire/outbox.ts";
import type { RoomCalls } from "../../node/admission/mesh/room-messages.ts";
import { OwnAuthority } from "../../node/peer/own-authority.ts";
import type { OwnCeilings } from "../../node/peer/own-ceilings.ts";
import { PeerRoomNode } from "../../node/peer/peer-room-node.ts";
import type { PotClock } from "../../node/peer/pot-clock.ts";
import { plainSignatures } from "../mesh/core/replica/plain-signatures.ts";

export interface ModelMeshParts {
  readonly self: NodeId;
  readonly replica: Replica;
  readonly outbox: Outbox;
  readonly calls: RoomCalls;
  readonly now: () => number;
  readonly alive: () => readonly NodeId[];
  readonly writerOf: (account: AccountId) => NodeId | undefined;
}

export class ModelMesh extends PeerRoomNode {
  constructor({ self, replica, outbox, calls, now, alive, writerOf }: ModelMeshParts) {
    const own = accountOf(self);
    let epoch = 0;
    const members: Partial<Members> = {
      mayAct: () => true,
      mayExtendOwn: () => true,
      sessions: { most: Number.POSITIVE_INFINITY } as LongestSession,
      mayGiveTo: (node: NodeId) => node !== self,
      reach: {
        alive: () => [...alive()],
        state: (node: NodeId) => (alive().includes(node) ? "alive" : "unreachable"),
      } as Partial<Reachability> as Reachability,
      localityOf: () => "here",
      sinceMs: () => 0,
      byLocality: new Map(),
      writerOf,
      runOf: () => 1,
      roundTripMs: () => 1,
    };
    const pots: Partial<PotClock> = {
      groupOf: () => undefined,
      accountsIn: () => [],
      settled: () => [own],
      ceilingIn: () => undefined,
      boundedGroups: [],
    };
    const ceilings: Pick<OwnCeilings, "mayHold" | "touch"> = {
      mayHold: () => Number.POSITIVE_INFINITY,
      touch: () => {},
    };
    const peer = {
      members: members as Members,
      replica,
      calls,
      outbox,
      time: {
        get now() {
          return { wallMs: now(), steadyMs: now() };
        },
        get roomMs() {
          return now();
        },
        get latestMs() {
          return now();
        },
        isRight: true,
      },
      get epoch() {
        epoch += 1;
        return epoch;
      },
    };
    super({
      peer,
      options: { self, locality: "here", minuteMs: MINUTE_MS, meshId: "model", signatures: plainSignatures(self) },
      pots: pots as PotClock,
      authority: new OwnAuthority({
        ...peer,
        pots: pots as PotClock,
        ceilings,
        guard: { isInStep: true },
        holds: { has: () => false, hasAny: false },
        limitOf: () => undefined,
      }),
      cutOff: { believedTo: () => Number.POSITIVE_INFINITY, mayRunOn: () => false },
      draws: () => ({
        follow: () => {},
        leave: () => {},
        countOf: () => 0,
        listOf: () => undefined,
        note: () => {},
        entries: () => [],
      }),
      gauges: new Map(),
    });
  }

  /** Counts serve views and waits. Limits don't rest on them, and without them there are fewer states. */
  override count(): void {}
}
