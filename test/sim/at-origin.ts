/** What becomes of a forwarded request: the origin answers, or one that does badly now is slow, refuses, or cannot be reached. */

import type { SimNode } from "./sim-node.ts";
import type { VisitedWorld } from "./visited-world.ts";

export interface Forwarded {
  readonly gate: SimNode;
  /** It answers with this status. */
  readonly answers: (status: number) => void;
  /** It cannot be reached. */
  readonly fails: () => void;
}

export function atOrigin(world: VisitedWorld, { gate, answers, fails }: Forwarded): void {
  const { badOrigin, random } = world;
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
