/**
 * `anteroom room hold|open|resume`: the three buttons for an operator under stress.
 *
 * Each says in one sentence what is now so, and gives the command that brings back what was before.
 */

import type { RoomDocument } from "../node/config/room-document.ts";
import { adminClient } from "./admin-client.ts";
import { flagValue, type Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { patchRoomNamed, roomNamed } from "./room.ts";

interface Button {
  /** The fields that it sets, and nothing else. */
  readonly patch: RoomDocument;
  /** What is then so. */
  readonly nowSo: (name: string) => string;
}

const HOLD: Button = {
  patch: { queue_all: true, suspended: false },
  nowSo: (name) => `Room ${name} holds everybody who is not inside: they wait in line until it is opened or resumed.`,
};

const OPEN: Button = {
  patch: { queue_all: false, queueing_method: "passthrough" },
  nowSo: (name) => `Room ${name} lets everybody in: its limits do not apply, and nobody waits.`,
};

const RESUME: Button = {
  patch: { queue_all: false, queueing_method: "fifo", suspended: false },
  nowSo: (name) => `Room ${name} keeps its limits again: visitors above them wait in line.`,
};

export const hold = (invocation: Invocation) => press(HOLD, invocation);
export const open = (invocation: Invocation) => press(OPEN, invocation);
export const resume = (invocation: Invocation) => press(RESUME, invocation);

async function press({ patch, nowSo }: Button, invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.positionals;
  const client = adminClient(invocation);
  const before = await roomNamed(client, name);
  await patchRoomNamed(client, name, patch);
  const undo = undoOf(patch, before);
  invocation.io.answer(nowSo(name));
  if (undo === undefined) invocation.io.talk("It was so already.");
  else invocation.io.talk(`Undo: anteroom room ${undo.replace("NAME", name)}${sameNode(invocation)}`);
  return EXIT.ok;
}

/** The command that brings back the fields of `before`; undefined when nothing was changed. */
function undoOf(patch: RoomDocument, before: RoomDocument): string | undefined {
  const changed = changes(before, patch);
  if (changed.length === 0) return undefined;
  if (changes(before, RESUME.patch).length === 0) return "resume NAME";
  return `update NAME ${changed.map(([field, value]) => `${field}=${value}`).join(" ")}`;
}

/** The fields of `patch` that are otherwise in `before`, as they are there. */
function changes(before: RoomDocument, patch: RoomDocument): [string, unknown][] {
  const old = new Map<string, unknown>(Object.entries(before));
  return Object.entries(patch).flatMap(([field, value]) =>
    old.get(field) === value ? [] : [[field, old.get(field)] satisfies [string, unknown]],
  );
}

/** The flags by which this node was found, except for the token: it is not to be printed. */
function sameNode(invocation: Invocation): string {
  return ["admin", "data"]
    .map((flag) => ({ flag, value: flagValue(invocation, flag) }))
    .flatMap(({ flag, value }) => (value === undefined ? [] : [` --${flag} ${value}`]))
    .join("");
}
