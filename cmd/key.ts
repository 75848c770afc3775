/**
 * `anteroom key [ROOM]`: the keys with which gates sign for others, and their rotation on all nodes: those of the fast
 * lane, or those by which a room's origin verifies `Anteroom-Visitor`.
 */

import { z } from "zod";
import type { RoomDocument } from "../node/config/room-document.ts";
import { type AdminClient, adminClient, answerField, roomPath } from "./admin-client.ts";
import { type Invocation, isOn } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";

const KEYS = z.object({
  is_on: z.boolean(),
  keys: z.tuple([z.object({ kid: z.string(), key: z.string() }), z.object({ kid: z.string(), key: z.string() })]),
});

export async function key(invocation: Invocation): Promise<number> {
  const [room] = invocation.positionals;
  if (room === undefined) return laneKey(invocation);
  if (isOn(invocation, "leaked")) {
    const repair = "rotate twice, and give the origin the new pair at once";
    throw new Failure("Cannot rotate the keys", {
      problems: [{ path: "--leaked", problem: "is for the fast lane, and a room is given", repair }],
    });
  }
  return roomKeys(invocation, room);
}

async function laneKey(invocation: Invocation): Promise<number> {
  const client = adminClient(invocation);
  const leaked = isOn(invocation, "leaked");
  const isRotated = leaked || isOn(invocation, "rotate");
  const generation = isRotated
    ? answerField(await client.call("POST", "/v1/lane/rotate", { leaked }), "generation")
    : answerField(answerField(await client.call("GET", "/v1/lane"), "lane"), "generation");
  if (isOn(invocation, "json")) invocation.io.answer(JSON.stringify({ generation }));
  else invocation.io.answer(`The gates sign with key ${generation}.`);
  if (leaked)
    invocation.io.talk("Install a new snippet at each proxy now: until then it accepts the keys that leaked.");
  else if (isRotated) invocation.io.talk("Print a new snippet for each proxy before the next rotation.");
  return EXIT.ok;
}

async function roomKeys(invocation: Invocation, room: string): Promise<number> {
  const client = adminClient(invocation);
  const path = roomPath(room);
  if (isOn(invocation, "rotate")) await rotate(client, path, room);
  const document = answerField(await client.call("GET", `${path}/visitor-keys`), "visitor_keys");
  const { is_on: isSent, keys } = KEYS.parse(document);
  if (isOn(invocation, "json")) invocation.io.answer(JSON.stringify(document));
  else invocation.io.answer(keys.map((each) => each.key).join(" "));
  if (!isSent) invocation.io.talk(`Room ${room} sends no header yet: anteroom room update ${room} visitor_header=true`);
  return EXIT.ok;
}

/**
 * If two rotations are ordered at once, one is made: a late one must not bring back the key of an earlier generation.
 */
async function rotate(client: AdminClient, path: string, room: string): Promise<void> {
  const { body, ...conditions } = await client.read(path);
  const { visitor_key_generation: generation = 1 } = answerField(body, "room") as RoomDocument;
  try {
    await client.call("PATCH", path, { visitor_key_generation: generation + 1 }, conditions);
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== "changed") throw error;
    throw new Failure(`Cannot rotate the keys as room ${room} was changed at this moment: nothing was rotated`, {
      hint: `see which keys it has with: anteroom key ${room}; then rotate again if that was no rotation`,
      reason: "changed",
      cause: error,
    });
  }
}
