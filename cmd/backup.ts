/**
 * `anteroom backup`: what operators have declared, as one file: all rooms with their events.
 *
 * It has no keys, no identity and no visitors: a node's own data directory holds those, and no copy of one may run
 * beside it. What would make the backup incomplete without a word is an error.
 */

import type { NodeStatus } from "../node/operator/status/status.ts";
import { adminClient, answerField } from "./admin-client.ts";
import { backupText, sealed } from "./backup-file.ts";
import { type Invocation, isOn } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { count } from "./print.ts";
import { declaredPart, type RoomAnswer } from "./room.ts";

export async function backup(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const client = adminClient(invocation);
  const status = (await client.call("GET", "/v1/status")) as NodeStatus;
  const release = String(answerField(status, "version"));
  const answer = await client.call("GET", "/v1/rooms");
  const found = answerField(answer, "rooms") as readonly RoomAnswer[];
  const { unreadable = [] } = answer as { readonly unreadable?: readonly string[] };
  if (status.view === null) {
    throw new Failure("Cannot back up the rooms as the node has not joined its mesh: it may not know all of them", {
      hint: "ask another node with --admin ADDR, or wait until anteroom health --ready succeeds",
    });
  }
  if (unreadable.length > 0) {
    throw new Failure(`Cannot back up all rooms as this node cannot read ${unreadable.join(", ")}`, {
      hint: "ask a node of the newest release in the mesh, or delete what no release can read",
    });
  }
  // A room without events says so: restoring it removes those that were added later.
  const rooms = found.map((room) => ({ ...declaredPart(room), events: room.events ?? [] }));
  const orders = found.flatMap(({ name, operator_order: order }) =>
    order ? [{ room: name, order: order.order, since: order.since }] : [],
  );
  const made = new Date(status.now_ms).toISOString();
  io.answer(backupText(sealed(rooms, { anteroom: release, made, orders }), { json: isOn(invocation, "json") }));
  io.talk(`Backed up ${count(rooms.length, "room")}. It has no keys and no visitors.`);
  return EXIT.ok;
}
