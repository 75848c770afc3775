/**
 * `anteroom room rollout`: moves new sessions to a new origin in steps, stops that, or reverses it.
 *
 * The node probes the new origin first, and refuses one that does not answer; all nodes then make the steps by
 * themselves.
 */

import type { RoomDocument } from "../../node/config/room-document.ts";
import { adminClient, answerField } from "../admin-client.ts";
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
  if ([to !== undefined, isStop, isBack].filter(Boolean).length !== 1) {
    const problem = { path: "--to", problem: "is missing, and so are --stop and --back, or more than one is given" };
    throw new Failure("Cannot roll out", {
      problems: [{ ...problem, repair: `write anteroom room rollout ${name} --to URL, --stop or --back` }],
    });
  }
  const order = isStop ? { stop: true } : isBack ? { back: true } : { to };
  const client = adminClient(invocation, { answerMaxMs: ANSWER_MAX_MS });
  const body = await client.call("POST", `/v1/rooms/${encodeURIComponent(name)}/rollout`, order);
  const room = answerField(body, "room") as RoomDocument;
  io.answer(nowSo(name, room));
  if (!isStop && !isBack) {
    io.talk(
      `Watch it with anteroom status --watch; take it back with anteroom room rollout ${name} --back. ` +
        "A rooms file that names the old origin must name the new one before a node is started with it again.",
    );
  }
  return EXIT.ok;
}

function nowSo(name: string, { rollout: now }: RoomDocument): string {
  if (now === null || now === undefined) return `Room ${name} has no rollout.`;
  const { to, state, percent } = now;
  if (state === "reversed")
    return `Room ${name}: new sessions go to the old origin again; those that ${to} has stay there.`;
  if (state === "stopped")
    return `Room ${name}: ${percent} % of new sessions go to ${to}, until you go on (--to ${to}) or go back (--back).`;
  return `Room ${name}: new sessions go to ${to}, 1 % at first, half as much again every 5 minutes, all after an hour.`;
}
