/**
 * `anteroom forget NODE… --i-am-sure`: the operator's word that nodes are gone for good, where the mesh cannot find out by itself.
 *
 * The word is believed without a vote, so it must be true: a node that runs on after it would admit on shares that others
 * have by then. Hence the second flag, and what it means in full.
 */

import { adminClient, answerField } from "./admin-client.ts";
import { type Invocation, isOn } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";

/** Longest wait for the answer: the node tries for 20 s to have all other members agree. */
const CARRIED_OUT_MAX_MS = 30_000;

export async function forget(invocation: Invocation): Promise<number> {
  const { positionals: nodes } = invocation;
  if (!isOn(invocation, "i-am-sure")) throw withoutWord(nodes.join(" "));
  const client = adminClient(invocation, { answerMaxMs: CARRIED_OUT_MAX_MS });
  const answer = await client.call("POST", "/v1/forget", { nodes });
  invocation.io.answer(`Forgot ${(answerField(answer, "nodes") as readonly string[]).join(", ")}.`);
  invocation.io.talk("Its shares are of use again once its sessions have surely ended: anteroom status shows when.");
  return EXIT.ok;
}

function withoutWord(node: string): Failure {
  return new Failure(`node ${node} was not forgotten`, {
    problems: [
      {
        path: "--i-am-sure",
        problem: `is missing: it is your word that ${node} runs nowhere and its data directory is gone; of two sides of a split only one may be given this word`,
        repair: `if all of that holds: anteroom forget ${node} --i-am-sure`,
      },
    ],
  });
}
