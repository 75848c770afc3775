/**
 * An operator's order that nodes run nowhere and their data is gone: the conditions before it is carried out.
 */

import type { NodeId } from "../ids.ts";
import type { Instant } from "../instant.ts";
import type { Departures } from "./departures.ts";
import { FORGET_MS_MAX, type ForgetReason, type ForgetRefusal, type Forgot, WORDS_MAX } from "./forget-order.ts";
import type { MemberParts } from "./member-parts.ts";
import type { Proposer } from "./proposer.ts";
import type { Reachability } from "./reachability.ts";

export interface ForgetOptions {
  readonly notify?: (forgot: Forgot) => void;
  /** Ms, at most 20 s, which is also the default. */
  readonly forMs?: number | undefined;
}

export type ForgetAnswer = { readonly ok: true } | ForgetRefusal;

export class Forgetting {
  readonly #parts: MemberParts;
  readonly #reach: Reachability;
  readonly #departures: Departures;
  readonly #proposer: Proposer;

  constructor(parts: MemberParts, beside: { reach: Reachability; departures: Departures; proposer: Proposer }) {
    this.#parts = parts;
    this.#reach = beside.reach;
    this.#departures = beside.departures;
    this.#proposer = beside.proposer;
  }

  /**
   * Takes the operator's order that `nodes` run nowhere and their data is gone: they are removed without their votes.
   * All other members must answer, because what they know about the lost accounts has to be collected. `ok`: it is
   * under way; `notify` is called once, when they are removed or the order is withdrawn. `forMs`: how long the operator
   * waits, also for other members to answer.
   */
  forget(nodes: readonly NodeId[], now: Instant, { notify = () => {}, forMs }: ForgetOptions = {}): ForgetAnswer {
    const { self } = this.#parts;
    const names = nodes.join(", ");
    const refuse = (reason: ForgetReason, text: string) => ({ reason, problem: `Cannot forget ${names} as ${text}` });
    // Its own leave may wait for a lost node: this order says that the lost node has nothing of it.
    const { isOffering, heir } = this.#departures.leaver;
    const isAbandoned = isOffering && heir !== undefined && nodes.includes(heir);
    if (!this.#parts.isIn || (this.#departures.leaver.isStopped && !isAbandoned))
      return refuse("no-member", "only a member can do it: this node is not a member, or is leaving");
    if (nodes.includes(self)) return refuse("answers", `a node cannot forget itself: current value is ${self}`);
    const stranger = nodes.find((node) => !this.#parts.book.nodes.has(node));
    if (nodes.length === 0 || stranger !== undefined)
      return refuse("unknown", `it must be a member: current value is ${stranger ?? "nobody"}`);
    const heard = nodes.filter((node) => this.#reach.mayAnswer(node, now));
    // Members may have voted by an earlier order, before the node was back: then this one has the same outcome.
    if (heard.length > 0 && (isAbandoned || !this.#proposer.mayBeVotedOn(heard)))
      return refuse(
        "answers",
        `it must be silent: current value is ${heard.join(", ")}, heard within the last seconds. A running node must leave: run anteroom leave there, or stop it for good first`,
      );
    if (!this.#parts.app.isInStep())
      return refuse(
        "not-ready",
        "this node must first compare its disk with a member's: it has just started, try again in some seconds",
      );
    if (this.#proposer.isFull) return refuse("busy", `at most ${WORDS_MAX} orders may wait at a node`);
    if (isAbandoned) {
      this.#parts.app.log(
        `${heir} runs nowhere, by the operator's order: this node does not leave to it, and is a member as before`,
      );
      this.#parts.app.heirLost();
      this.#departures.leaver.abandon(now);
    }
    const missing = this.#proposer.missing(nodes, now);
    if (missing.length > 0 && forMs === undefined)
      return refuse(
        "others-silent",
        `all other members must answer: current value is ${missing.join(", ")}, silent. Start the nodes that can be started; forget those that run nowhere in the same command`,
      );
    this.#proposer.forget({ nodes, notify, forMs: Math.min(forMs ?? FORGET_MS_MAX, FORGET_MS_MAX) }, now);
    this.#parts.app.log(`forgetting ${names}, by the operator's order`);
    return { ok: true };
  }
}
