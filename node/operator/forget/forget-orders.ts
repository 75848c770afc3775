/**
 * An operator's order as the mesh takes it: a member is forgotten; a node that is no longer a member counts as
 * forgotten.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import type { Forgot, Members } from "../../../mesh/core/members/members.ts";
import type { ForgetOrders } from "./forget.ts";

export interface ForgetParts {
  readonly members: Members;
  /** Starts a step. */
  readonly now: () => Instant;
  /** Finishes what the step left to do. */
  readonly wake: () => void;
}

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
