/**
 * `POST /v1/forget`: an operator's order that nodes run nowhere, also from a script that repeats it.
 *
 * A node that is no longer a member was forgotten or removed, or has left: the order succeeds, and the answer says so.
 * With `timeout_seconds` the order is valid for that long, so other members may answer later; without it they must
 * answer now.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import { FORGET_MS_MAX } from "../../../mesh/core/members/forget-order.ts";
import type { ForgetReason, Forgot, Members } from "../../../mesh/core/members/members.ts";
import { failure } from "../calls/api-answers.ts";
import { nodeLabels } from "../status/node-labels.ts";
import type { MemberStatus } from "../status/status.ts";
import { nodeNamed } from "./node-named.ts";

export interface ForgetOrders {
  /** Ids of nodes that were members once. */
  former(): readonly string[];
  /**
   * Takes the operator's order that `nodes`, whole ids, run nowhere and their data is gone. Answers once it is carried
   * out, or cannot be.
   */
  forget(nodes: readonly string[], options: { readonly forMs?: number | undefined }): Promise<ForgetOutcome>;
}

/** `forgotten` by this order; `already`: not members any more when it was given. */
interface Forgotten {
  readonly ok: true;
  readonly forgotten: readonly string[];
  readonly already: readonly string[];
}

type ForgetOutcome = Forgotten | { readonly ok: false; readonly reason: ForgetReason; readonly problem: string };

/** Longest time for which an order may be valid, in s: as long as a node tries. */
export const FORGET_SECONDS_MAX = FORGET_MS_MAX / 1_000;

const HINTS: Readonly<Record<ForgetReason, string>> = {
  answers: "run anteroom leave there, or stop it for good first",
  "others-silent":
    "start the nodes that can be started; name all that run nowhere in one command, or use --timeout and forget the others at this node meanwhile",
  "not-agreed": "try again; anteroom status shows which nodes answer",
  "no-member": "use another node that is a member",
  "not-ready": "try again in some seconds, or use another node",
  busy: "wait for the answers to the earlier orders",
  unknown: "see anteroom status for the members and their states",
};

interface ForgetPlace {
  readonly members: readonly MemberStatus[];
  /** By node, former members included. */
  readonly names: Readonly<Record<string, string>>;
  readonly orders: ForgetOrders;
}

/** `nodes`: what an operator calls them. */
export async function forgetNodes(
  {
    nodes: words,
    timeout_seconds: seconds,
  }: { readonly nodes: readonly string[]; readonly timeout_seconds?: number | undefined },
  { members, names, orders }: ForgetPlace,
): Promise<Forgotten | Response> {
  const known = [...new Set([...members.map(({ node }) => node), ...orders.former()])];
  const nodes = new Set<string>();
  for (const word of words) {
    const named = nodeNamed(word, known, names, orders.former());
    if ("problem" in named) return failure("not-found", named.problem, { hint: named.hint, reason: "unknown" });
    nodes.add(named.node);
  }
  const outcome = await orders.forget([...nodes], { forMs: seconds && seconds * 1_000 });
  if (outcome.ok) return outcome;
  const { reason, problem } = outcome;
  const { inText } = nodeLabels(known, new Map(Object.entries(names)));
  return failure("refused", inText(problem), { hint: HINTS[reason], reason });
}

export interface ForgetParts {
  readonly members: Members;
  /** Starts a step. */
  readonly now: () => Instant;
  /** Finishes what the step left to do. */
  readonly wake: () => void;
}

/** Orders as the mesh takes them: a member is forgotten; a node that is no longer a member counts as forgotten. */
export function forgetOrders({ members, now, wake }: ForgetParts): ForgetOrders {
  return {
    former: () => members.former,
    forget: async (ids, { forMs }) => {
      const at = now();
      const nodes = ids as readonly NodeId[];
      const isGone = (node: NodeId) => members.former.includes(node) && !members.isMember(node);
      const already = nodes.filter(isGone);
      const forgotten = nodes.filter((node) => !isGone(node));
      if (forgotten.length === 0) return { ok: true, forgotten, already };
      const { promise, resolve } = Promise.withResolvers<Forgot>();
      const answer = members.forget(forgotten, at, { notify: resolve, forMs });
      if ("problem" in answer) resolve(answer);
      wake();
      const forgot = await promise;
      if (forgot.problem !== undefined) return { ok: false, reason: forgot.reason, problem: forgot.problem };
      return { ok: true, forgotten, already };
    },
  };
}
