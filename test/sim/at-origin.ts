/**
 * What becomes of a forwarded request: the scenario's origin answers it in its time, or one that does badly now is
 * slow, refuses, or cannot be reached.
 */

import type { PlayedPlan } from "./memory-exchange.ts";
import type { SimNode } from "./sim-node.ts";
import type { VisitedWorld } from "./visited-world.ts";

export interface Forwarded {
  readonly gate: SimNode;
  readonly plan: PlayedPlan;
  /** It answers with this status. */
  readonly answers: (status: number) => void;
  /** It cannot be reached. */
  readonly fails: () => void;
}

export function atOrigin(world: VisitedWorld, { gate, plan, answers, fails }: Forwarded): void {
  const { origin, badOrigin, random } = world;
  if (origin !== undefined) {
    const { afterMs, status } = origin.request();
    gate.later(afterMs, () => {
      if (status === undefined) plan.onFailure({ kind: "timeout", detail: "" });
      else answers(status);
    });
    return;
  }
  if (badOrigin === undefined) {
    answers(200);
    return;
  }
  const isBad = random() < badOrigin.failing;
  const act = (): void => {
    if (!isBad) answers(200);
    else if (random() < 0.5) answers(503);
    else fails();
  };
  if (badOrigin.slowMs === 0) act();
  else gate.later(random() * badOrigin.slowMs, act);
}
