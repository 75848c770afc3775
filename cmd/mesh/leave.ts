/**
 * `anteroom leave`: removes a node from its mesh for good; its process ends by itself.
 *
 * Its shares, sessions and line go to another node, so that no slot is idle and no visitor loses a place. With workers,
 * the other workers of the host follow the first.
 */

import { adminClient, answerField } from "../admin-client.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";

/** Longest wait for the answer: the node hands over all its sessions first, and may try several heirs. */
const HANDOVER_MAX_MS = 120_000;

export async function leave(invocation: Invocation): Promise<number> {
  const client = adminClient(invocation, { answerMaxMs: HANDOVER_MAX_MS });
  const body = await client.call("POST", "/v1/leave");
  const message = String(answerField(body, "message"));
  if (answerField(body, "left") !== true) {
    throw new Failure(message, { hint: "see the members with: anteroom status" });
  }
  invocation.io.answer(message);
  return EXIT.ok;
}
