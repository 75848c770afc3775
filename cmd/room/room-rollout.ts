/**
 * `anteroom room rollout`: moves new sessions to a new origin in steps; stops, reverses or finishes any rollout.
 *
 * The node probes the new origin first, and refuses one that does not answer; all nodes then make the steps by
 * themselves.
 */

import type { RoomDocument } from "../../node/config/room-document.ts";
import { adminClient, answerField, roomPath } from "../admin-client.ts";
import { flagValue, type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";

/** The new origin may take its time to answer the node, and the node answers only after that. */
const ANSWER_MAX_MS = 15_000;

export async function rollout(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [name = ""] = positionals;
  const to = flagValue(invocation, "to");
  const isStop = isOn(invocation, "stop");
  const isBack = isOn(invocation, "back");
  const isNow = isOn(invocation, "now");
  if ([to !== undefined, isStop, isBack, isNow].filter(Boolean).length !== 1) {
    const problem = {
      path: "--to",
      problem: "is missing, and so are --stop, --back and --now, or more than one is given",
    };
    throw new Failure("Cannot roll out", {
      problems: [{ ...problem, repair: `write anteroom room rollout ${name} --to URL, --stop, --back or --now` }],
    });
  }
  const order = isStop ? { stop: true } : isBack ? { back: true } : isNow ? { now: true } : { to };
  const client = adminClient(invocation, { answerMaxMs: ANSWER_MAX_MS });
  const body = await client.call("POST", `${roomPath(name)}/rollout`, order);
  const room = answerField(body, "room") as RoomDocument;
  io.answer(isNow ? `Room ${name}: all new sessions go by the declared weights.` : nowSo(name, room, to));
  if (to !== undefined) {
    io.talk(
      `Watch it with anteroom status --watch; take it back with anteroom room rollout ${name} --back. ` +
        "Write the new origin into the rooms file, too: one that names the old origin moves sessions back when it is applied.",
    );
  }
  return EXIT.ok;
}

function nowSo(name: string, { rollout: now }: RoomDocument, to = ""): string {
  if (now === null || now === undefined) return `Room ${name} has no rollout.`;
  const { state, percent } = now;
  if (state === "reversed")
    return `Room ${name}: new sessions go by the old weights again; those that a new origin has stay there.`;
  if (state === "stopped")
    return `Room ${name}: ${percent} % of new sessions follow the rollout, until you go on (--to URL) or go back (--back).`;
  return `Room ${name}: new sessions go to ${to}, 1 % at first, half as much again every 5 minutes, all after an hour.`;
}
