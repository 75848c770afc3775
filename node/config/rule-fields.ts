/** The rules in a room document: which requests bypass the room, by expression (node/rules/). */

import { z } from "zod";
import { compileExpression, EXPRESSION_CHARS_MAX } from "../rules/expression.ts";
import { RULE_ACTIONS } from "../rules/rules.ts";
import { ExpressionFault } from "../rules/syntax.ts";
import type { Complaint } from "./problem.ts";
import { text } from "./text-field.ts";

/** Each request is compared with every rule until one applies. */
const RULES_MAX = 100;
const DESCRIPTION_MAX = 1_000;

export const RULE_REPAIR =
  'write a list of up to 100 rules, each as {expression: http.request.uri.path starts_with "/api/", action: bypass_waiting_room|queue}';

const rule = z.strictObject({
  expression: text(expressionComplaint, EXPRESSION_CHARS_MAX).describe("which requests it is about"),
  action: z
    .enum(RULE_ACTIONS, { error: "is not bypass_waiting_room or queue" })
    .default("bypass_waiting_room")
    .describe("what the first rule that fits does"),
  description: z.string().max(DESCRIPTION_MAX).default("").describe("for people"),
  enabled: z.boolean().default(true).describe("false: the rule is skipped"),
});

export const RULES = z.array(rule).max(RULES_MAX).default([]);

function expressionComplaint(expression: string): Complaint {
  try {
    compileExpression(expression);
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return {
      problem: `has a fault at column ${error.column}: ${error.message}`,
      repair: 'write an expression such as http.request.uri.path starts_with "/api/" and not ip.src in {10.0.0.0/8}',
    };
  }
}
