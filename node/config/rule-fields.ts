/** The rules in a room document: what happens to which requests, by expression (node/rules/). */

import { z } from "zod";
import {
  type Compiled,
  compileExpression,
  EXPRESSION_CHARS_MAX,
  STEPS_MAX,
  tooManySteps,
} from "../rules/expression.ts";
import { RULE_ACTIONS } from "../rules/rules.ts";
import { ExpressionFault } from "../rules/syntax.ts";
import type { Complaint } from "./problem.ts";
import { text } from "./text-field.ts";

/** Each request is compared with every rule until one applies. */
const RULES_MAX = 100;
/** Of all expressions of a room. The costliest comparisons fit so often that a hostile request costs 3 ms more. */
const ROOM_CHARS_MAX = 32_768;
const DESCRIPTION_MAX = 1_000;

const rule = z.strictObject({
  expression: text(expressionComplaint, EXPRESSION_CHARS_MAX).describe(
    'which requests it is about, such as http.request.uri.path starts_with "/api/"',
  ),
  action: z
    .enum(RULE_ACTIONS, { error: "is not bypass_waiting_room, queue, challenge or block" })
    .default("bypass_waiting_room")
    .describe("what the first rule that fits does"),
  description: z.string().max(DESCRIPTION_MAX).default("").describe("for people"),
  enabled: z.boolean().default(true).describe("false: the rule is skipped"),
});

export const RULES = z
  .array(rule)
  .max(RULES_MAX)
  .superRefine((rules, context) => {
    const message = costComplaint(rules.map(({ expression }) => expression));
    const repair = "write fewer or shorter rules";
    if (message !== undefined) context.addIssue({ code: "custom", message, params: { repair } });
  })
  .default([]);

/** What a request costs is bounded by room: it is compared with all of its rules. */
function costComplaint(expressions: readonly string[]): string | undefined {
  const chars = expressions.reduce((sum, { length }) => sum + length, 0);
  if (chars > ROOM_CHARS_MAX) return `have more than ${ROOM_CHARS_MAX} characters in all: ${chars}`;
  const steps = expressions.map(tried).reduce((sum, each) => sum + ("steps" in each ? each.steps : 0), 0);
  return steps > STEPS_MAX ? `have too much to do: ${tooManySteps(steps)}` : undefined;
}

function expressionComplaint(expression: string): Complaint {
  const fault = tried(expression);
  if (!(fault instanceof ExpressionFault)) return undefined;
  return {
    problem: `has a fault at column ${fault.column}: ${fault.message}`,
    repair: 'write an expression such as http.request.uri.path starts_with "/api/" and not ip.src in {10.0.0.0/8}',
  };
}

function tried(expression: string): Compiled | ExpressionFault {
  try {
    return compileExpression(expression);
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return error;
  }
}
