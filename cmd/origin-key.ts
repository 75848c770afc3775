/** `anteroom origin key ROOM`: the keys by which a room's origin verifies `Anteroom-Visitor`, and their rotation. */

import { z } from "zod";
import type { RoomDocument } from "../node/config/room-document.ts";
import { type AdminClient, adminClient, answerField } from "./admin-client.ts";
import { type Command, type Invocation, isOn, ONE, type Option } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "./options.ts";

const OPTIONS: readonly Option[] = [
  { flag: "rotate", help: "make all gates sign with the next key, which the origin accepts already" },
];

const KEYS = z.object({
  is_on: z.boolean(),
  keys: z.tuple([z.object({ kid: z.string(), key: z.string() }), z.object({ kid: z.string(), key: z.string() })]),
});

export const ORIGIN_COMMANDS: readonly Command[] = [
  {
    name: "origin key",
    synopsis: "ROOM [--rotate]",
    positionals: ONE,
    summary: "show or rotate the keys of the header Anteroom-Visitor",
    notes: [
      "Give both keys to the origin: the gates sign with the first, and with the second after a rotation. So a rotation needs " +
        "no restart at that moment; give the origin the new pair before the next one.",
      "If a key has leaked, rotate twice, and give the origin the new pair at once.",
    ],
    options: [...OPTIONS, JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom origin key shop", "anteroom origin key shop --rotate"],
    run: originKey,
  },
];

async function originKey(invocation: Invocation): Promise<number> {
  const client = adminClient(invocation);
  const [room = ""] = invocation.positionals;
  const path = `/v1/rooms/${encodeURIComponent(room)}`;
  if (isOn(invocation, "rotate")) await rotate(client, path, room);
  const document = answerField(await client.call("GET", `${path}/visitor-keys`), "visitor_keys");
  const { is_on: isSent, keys } = KEYS.parse(document);
  if (isOn(invocation, "json")) invocation.io.answer(JSON.stringify(document));
  else invocation.io.answer(keys.map(({ key }) => key).join(" "));
  if (!isSent) invocation.io.talk(`Room ${room} sends no header yet: anteroom room update ${room} visitor_header=true`);
  return EXIT.ok;
}

/** Of two rotations at once one is made: a late one must not bring back the key of an earlier generation. */
async function rotate(client: AdminClient, path: string, room: string): Promise<void> {
  const { body, ...conditions } = await client.read(path);
  const { visitor_key_generation: generation = 1 } = answerField(body, "room") as RoomDocument;
  try {
    await client.call("PATCH", path, { visitor_key_generation: generation + 1 }, conditions);
  } catch (error) {
    if (!(error instanceof Failure) || error.reason !== "changed") throw error;
    throw new Failure(`Cannot rotate the keys as room ${room} was changed at this moment: nothing was rotated`, {
      hint: `see which keys it has with: anteroom origin key ${room}; then rotate again if that was no rotation`,
      reason: "changed",
      cause: error,
    });
  }
}
