/**
 * The rules of a room, in their order: the first whose expression is true says whether the request bypasses the room, is
 * queued like others, is asked for a proof of work, or is refused.
 *
 * A rule that is unsure ends the search as well: letting the request pass could be a way around the room, and refusing
 * it could keep a person out. So it is queued, or asked for a proof, which costs a person little.
 */

import { compileExpression, type Expression } from "./expression.ts";
import { Facts, type RuleRequest } from "./facts.ts";

export const RULE_ACTIONS = ["bypass_waiting_room", "queue", "challenge", "block"] as const;
export type RuleAction = (typeof RULE_ACTIONS)[number];

export interface Rule {
  readonly expression: string;
  readonly action: RuleAction;
  readonly description: string;
  readonly enabled: boolean;
}

/** The rule that says what happens; one that is unsure queues or challenges. */
export interface Decision {
  readonly rule: Rule;
  readonly isUnsure: boolean;
}

export class Rules {
  /** What its rules ask for. */
  readonly fields: ReadonlySet<string>;
  readonly #rules: readonly { readonly is: Expression; readonly rule: Rule }[];

  /** Asserts that the expressions were checked. */
  constructor(rules: readonly Rule[]) {
    const enabled = rules.filter((rule) => rule.enabled);
    const compiled = enabled.map((rule) => ({ ...compileExpression(rule.expression), rule }));
    this.fields = new Set(compiled.flatMap(({ fields }) => [...fields]));
    this.#rules = compiled.map(({ is, rule }) => ({ is, rule }));
  }

  /** What the first rule that applies says; undefined if none does. */
  ruling(request: RuleRequest): RuleAction | undefined {
    const decision = this.decision(request);
    if (decision === undefined) return undefined;
    const { rule, isUnsure } = decision;
    return isUnsure && rule.action !== "challenge" ? "queue" : rule.action;
  }

  /** The first rule that applies, or is unsure; undefined if none is. */
  decision(request: RuleRequest): Decision | undefined {
    const facts = new Facts(request);
    for (const { is, rule } of this.#rules) {
      const truth = is(facts);
      if (truth !== false) return { rule, isUnsure: truth === "unsure" };
    }
    return undefined;
  }
}
