/**
 * `anteroom visitor`: one visitor who asks for help, by the number on the waiting page.
 *
 * The node says where the visitor is when that page asks the next time, so this asks the node again until then.
 */

import type { LookAction } from "../../node/admission/mesh/room-messages.ts";
import type { VisitorFound } from "../../node/operator/api/visitors.ts";
import { adminClient, answerField, roomPath } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { number, span } from "../print.ts";

/** Pages near the front of the line ask every 2 s. */
const AGAIN_MS = 500;

export async function visitor(invocation: Invocation): Promise<number> {
  const [room = "", given = ""] = invocation.positionals;
  const { io } = invocation;
  const client = adminClient(invocation);
  const action = actionOf(invocation);
  const path = `${roomPath(room)}/visitors/${encodeURIComponent(given)}`;
  const ask = async (): Promise<VisitorFound> => {
    const body = await client.call("POST", path, { action });
    answerField(body, "state");
    return body as VisitorFound;
  };
  let found = await ask();
  if (found.state === "looking") io.talk(`Looking for ${found.visitor}: until the visitor's page asks the next time.`);
  while (found.state === "looking") {
    await Bun.sleep(AGAIN_MS);
    found = await ask();
  }
  io.answer(isOn(invocation, "json") ? JSON.stringify(found) : `${found.visitor} ${words(found, { room, action })}`);
  return found.state === "not-seen" ? EXIT.failed : EXIT.ok;
}

function actionOf(invocation: Invocation): LookAction {
  const [isAdmit, isRemove] = [isOn(invocation, "admit"), isOn(invocation, "remove")];
  if (!isAdmit || !isRemove) return isAdmit ? "admit" : isRemove ? "remove" : "find";
  const problem = { path: "--admit", problem: "comes with --remove", repair: "leave one of them out" };
  throw new Failure("Cannot do both", { problems: [problem] });
}

function words(found: VisitorFound, { room, action }: { readonly room: string; readonly action: LookAction }): string {
  const { state, since_ms: sinceMs = 0, until_ms: untilMs = 0, position = 0, wait_seconds: wait, done } = found;
  if (done === true && action === "remove") return `was ${state === "inside" ? "inside" : "in line"}, and is removed`;
  if (state === "not-seen") return `has not asked in room ${room}: the page is closed, or shows another number`;
  if (state === "inside") return `is inside since ${utc(sinceMs)}, until ${utc(untilMs)} or as long as active`;
  if (state === "unproved") return "is not in line: the proof of work is still owed";
  const place = position === 0 ? "at a place that is not known yet" : `at place ${number(position)}`;
  const front = done === true ? "; put at the front, for the next free slot" : "";
  const left = wait === undefined ? "for a time that is not known" : `for about ${span(wait)} more`;
  return `waits ${place} since ${utc(sinceMs)}, ${left}${front}`;
}

function utc(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
