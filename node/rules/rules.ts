/**
 * The rules of a room, in their order: the first whose expression is true says whether the request bypasses the room or
 * is queued like others.
 *
 * A rule that is unsure ends the search as well, and the request is queued: letting it pass could be a way around the
 * room.
 */

import { compileExpression, type Expression } from "./expression.ts";
import { Facts, type RuleRequest } from "./facts.ts";

export const RULE_ACTIONS = ["bypass_waiting_room", "queue"] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

export interface Rule {
  readonly expression: string;
  readonly action: RuleAction;
  readonly description: string;
  readonly enabled: boolean;
}

export class Rules {
  /** What its rules ask for. */
  readonly fields: ReadonlySet<string>;
  readonly #rules: readonly { readonly is: Expression; readonly action: RuleAction }[];

  /** Asserts that the expressions were checked. */
  constructor(rules: readonly Rule[]) {
    const enabled = rules.filter((rule) => rule.enabled);
    const compiled = enabled.map(({ expression, action }) => ({ ...compileExpression(expression), action }));
    this.fields = new Set(compiled.flatMap(({ fields }) => [...fields]));
    this.#rules = compiled.map(({ is, action }) => ({ is, action }));
  }

  /** What the first rule that applies says; undefined if none does. */
  ruling(request: RuleRequest): RuleAction | undefined {
    const facts = new Facts(request);
    for (const { is, action } of this.#rules) {
      const truth = is(facts);
      if (truth === "unsure") return "queue";
      if (truth) return action;
    }
    return undefined;
  }
}
