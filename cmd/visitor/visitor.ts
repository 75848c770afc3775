/**
 * `anteroom visitor`: one visitor who asks for help, by the number on the waiting page.
 *
 * The node says where the visitor is when that page asks the next time, so this asks the node again until then.
 */

import type { VisitorAction, VisitorFound } from "../../node/operator/api/visitors.ts";
import { adminClient, answerField, roomPath } from "../admin-client.ts";
import { flagValue, type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { number, span } from "../print.ts";
import { momentOf } from "./moment.ts";

/** Pages near the front of the line ask every 2 s. */
const AGAIN_MS = 500;

/** What is said of a visitor who waits, after place and wait. */
const DONE: Readonly<Record<VisitorAction, { readonly done: string; readonly not: string }>> = {
  find: { done: "", not: "" },
  admit: { done: "; put at the front, for the next free slot", not: "" },
  "put-back": { done: "; put back", not: "; keeps this place, as that moment gives no better one" },
  remove: { done: "", not: "" },
  block: { done: "", not: "" },
  unblock: { done: "", not: "" },
};

export async function visitor(invocation: Invocation): Promise<number> {
  const [room = "", given = ""] = invocation.positionals;
  const { io } = invocation;
  const client = adminClient(invocation);
  const order = orderOf(invocation);
  const path = `${roomPath(room)}/visitors/${encodeURIComponent(given)}`;
  const ask = async (): Promise<VisitorFound> => {
    const body = await client.call("POST", path, order);
    answerField(body, "state");
    return body as VisitorFound;
  };
  let found = await ask();
  if (found.state === "looking") io.talk(`Looking for ${found.visitor}: until the visitor's page asks the next time.`);
  while (found.state === "looking") {
    await Bun.sleep(AGAIN_MS);
    found = await ask();
  }
  io.answer(
    isOn(invocation, "json")
      ? JSON.stringify(found)
      : `${found.visitor} ${words(found, { room, action: order.action })}`,
  );
  return found.state === "not-seen" ? EXIT.failed : EXIT.ok;
}

interface Order {
  readonly action: VisitorAction;
  readonly since?: string;
  readonly until?: string;
}

function orderOf(invocation: Invocation): Order {
  const putBack = flagValue(invocation, "put-back");
  const asked = [
    ...(isOn(invocation, "admit") ? ["admit" as const] : []),
    ...(putBack !== undefined ? ["put-back" as const] : []),
    ...(["remove", "block", "unblock"] as const).filter((flag) => isOn(invocation, flag)),
  ];
  const [action = "find", other] = asked;
  if (other !== undefined) {
    const problem = { path: `--${action}`, problem: `comes with --${other}`, repair: "leave one of them out" };
    throw new Failure("Cannot do both", { problems: [problem] });
  }
  const until = flagValue(invocation, "for");
  if (until !== undefined && action !== "block") {
    const problem = { path: "--for", problem: "comes without --block", repair: "say how long a visitor is blocked" };
    throw new Failure("Cannot tell what is to last", { problems: [problem] });
  }
  return {
    action,
    ...(putBack !== undefined && { since: momentOf(putBack, Date.now()) }),
    ...(until !== undefined && { until }),
  };
}

function words(
  found: VisitorFound,
  { room, action }: { readonly room: string; readonly action: VisitorAction },
): string {
  const { state, since_ms: sinceMs = 0, until_ms: untilMs = 0, position = 0, wait_seconds: wait, done } = found;
  if (done === true && action === "remove") return `was ${state === "inside" ? "inside" : "in line"}, and is removed`;
  if (state === "blocked") return `is blocked since ${utc(sinceMs)}, until ${utc(untilMs)}`;
  if (state === "unblocked") return "is not blocked any more, and may join again";
  if (state === "not-seen") return `has not asked in room ${room}: the page is closed, or shows another number`;
  if (state === "inside") return `is inside since ${utc(sinceMs)}, until ${utc(untilMs)} or as long as active`;
  if (state === "unproved") return "is not in line: the proof of work is still owed";
  const place = position === 0 ? "at a place that is not known yet" : `at place ${number(position)}`;
  const left = wait === undefined ? "for a time that is not known" : `for about ${span(wait)} more`;
  return `waits ${place} since ${utc(sinceMs)}, ${left}${DONE[action][done === true ? "done" : "not"]}`;
}

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
