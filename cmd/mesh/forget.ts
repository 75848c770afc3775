/**
 * `anteroom forget NODE… --i-am-sure`: the operator's order that nodes are gone for good, where the mesh cannot find
 * out by itself or need not wait to.
 *
 * No vote checks the order, so it must be true: a node that still runs would admit on shares that others have by then.
 * Hence the second flag, and its full meaning in help. For scripts: the order may be repeated, `--timeout` retries
 * until it is carried out, and exit codes and `--json` report the outcome.
 */

import type { ForgetReason } from "../../mesh/core/members/members.ts";
import { durationFrom } from "../../node/config/readers.ts";
import { FORGET_SECONDS_MAX } from "../../node/operator/forget/forget.ts";
import { type AdminClient, adminClient, answerField } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { optionsOf, readOptions, type TypedOption } from "../option-table.ts";

/** How much longer than the node tries to wait for its answer, in ms. */
const ANSWER_MS = 10_000;

/** Between two tries, in ms: a member that has just died answers for some seconds more. */
const AGAIN_MS = 1_000;

/** How long a dead member may still seem to answer, in ms: 12.5 s if it is in another locality of a large mesh. */
const SEEMS_ALIVE_MS = 15_000;

const TABLE = {
  timeout: {
    flag: "timeout",
    placeholder: "TIME",
    fallback: "0s",
    read: durationFrom(0),
    help: "keep trying for at most this long; 0s: try once, and refuse a node that may still answer",
  } satisfies TypedOption<number>,
};

export const FORGET_OPTIONS = optionsOf(TABLE);

/** Whether another try may help, because the missing condition may come by itself. */
const PASSES: ReadonlySet<string> = new Set<ForgetReason | "unreachable">([
  "answers",
  "others-silent",
  "not-agreed",
  "not-ready",
  "busy",
  "unreachable",
]);

interface Forgotten {
  readonly forgotten: readonly string[];
  readonly already: readonly string[];
  /** By id. */
  readonly names: Readonly<Record<string, string>>;
}

export async function forget(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const isJson = isOn(invocation, "json");
  try {
    const done = await tryToForget(invocation);
    if (isJson) io.answer(JSON.stringify({ ok: true, forgotten: done.forgotten, already: done.already }));
    else tell(done, io);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const failure = error.reason === "answers" ? answering(error) : error;
    if (!isJson) throw failure;
    const { message, hint, problems, reason = problems.length > 0 ? "usage" : "failed" } = failure;
    const more = { ...(hint !== undefined && { hint }), ...(problems.length > 0 && { problems }) };
    io.answer(JSON.stringify({ ok: false, reason, message, ...more }));
    return failure.exit;
  }
}

async function tryToForget(invocation: Invocation): Promise<Forgotten> {
  const { positionals: nodes } = invocation;
  const { values, problems } = readOptions(TABLE, invocation);
  if (nodes.length === 0)
    problems.push({ path: "NODE…", problem: "is missing", repair: "write anteroom forget NODE… --i-am-sure" });
  if (problems.length > 0) throw new Failure("no node was forgotten", { problems });
  if (!isOn(invocation, "i-am-sure")) throw withoutWord(nodes.join(" "));
  const { timeout: forMs } = values;
  const client = adminClient(invocation, { answerMaxMs: FORGET_SECONDS_MAX * 1_000 + ANSWER_MS });
  const sinceMs = performance.now();
  for (;;) {
    const passedMs = performance.now() - sinceMs;
    try {
      return await askOnce(client, nodes, forMs === 0 ? undefined : Math.max(AGAIN_MS, forMs - passedMs));
    } catch (error) {
      const nowMs = performance.now() - sinceMs;
      if (!(error instanceof Failure) || !PASSES.has(error.reason ?? "") || nowMs + AGAIN_MS > forMs) throw error;
      if (error.reason === "answers" && nowMs > SEEMS_ALIVE_MS) throw error;
    }
    await Bun.sleep(AGAIN_MS);
  }
}

/** `leftMs`: for how long the order is valid; undefined for a single try, which waits for no other member. */
async function askOnce(client: AdminClient, nodes: readonly string[], leftMs: number | undefined): Promise<Forgotten> {
  const wait = leftMs === undefined ? {} : { timeout_seconds: Math.min(leftMs / 1_000, FORGET_SECONDS_MAX) };
  const answer = await client.call("POST", "/v1/forget", { nodes, ...wait });
  return {
    forgotten: answerField(answer, "forgotten") as readonly string[],
    already: answerField(answer, "already") as readonly string[],
    names: (answer as Partial<Forgotten>).names ?? {},
  };
}

function tell({ forgotten, already, names }: Forgotten, { answer, talk }: Invocation["io"]): void {
  const called = (nodes: readonly string[]): string =>
    nodes.map((node) => (names[node] === undefined ? node : `${names[node]} (${node})`)).join(", ");
  if (forgotten.length > 0) {
    answer(`Forgot ${called(forgotten)}.`);
    talk(
      `${forgotten.length === 1 ? "Its share is" : "Their shares are"} usable again once all of ${forgotten.length === 1 ? "its" : "their"} sessions have certainly ended: anteroom status shows when.`,
    );
  }
  if (already.length > 0)
    answer(`${called(already)}: no ${already.length === 1 ? "member" : "members"} any more; nothing to do.`);
}

function withoutWord(node: string): Failure {
  return new Failure(`node ${node} was not forgotten`, {
    problems: [
      {
        path: "--i-am-sure",
        problem: `is missing: it confirms that ${node} runs nowhere and its data directory is gone; in a split, give this order on one side only`,
        repair: `if all of that holds: anteroom forget ${node} --i-am-sure`,
      },
    ],
  });
}

/** A node that answers is a special case for scripts: nothing has failed, and repeating does not help. */
function answering({ message, hint, reason, cause }: Failure): Failure {
  return new Failure(message, { cause, exit: EXIT.refused, ...(hint && { hint }), ...(reason && { reason }) });
}
