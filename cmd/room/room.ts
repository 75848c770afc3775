/**
 * `anteroom room …`: the rooms of a running node, by its admin API.
 *
 * Every change reports the new state. The node checks its input; files are checked here too, since only here their
 * lines and columns are known.
 */

import { stringify } from "yaml";
import type { Room } from "../../node/config/room.ts";
import { type RoomDocument, roomDocument } from "../../node/config/room-document.ts";
import { READ_ONLY } from "../../node/config/room-schema.ts";
import type { Applied } from "../../node/rooms/declared-changes.ts";
import type { OrderStatus } from "../../node/rooms/room-order.ts";
import { orderText } from "../../node/rooms/room-order.ts";
import { type AdminClient, adminClient, answerField, roomPath } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { count, number, tableOptions, tableOrBlocks } from "../print.ts";
import type { RoomsFile } from "./load-rooms.ts";
import { readFields, readRoomsFile } from "./room-input.ts";

/** A room as the API gives it: with `id`, `created_on`, `modified_on` and the order besides its fields. */
export type RoomAnswer = RoomDocument & { readonly name: string; readonly operator_order?: OrderStatus | null };

export async function list(invocation: Invocation): Promise<number> {
  const rooms = await allRooms(adminClient(invocation));
  if (isOn(invocation, "json")) return answer(invocation, JSON.stringify({ rooms }));
  if (rooms.length === 0) invocation.io.talk("No rooms yet. Create one with: anteroom room create");
  else answer(invocation, roomTable(rooms, invocation));
  return EXIT.ok;
}

export async function get(invocation: Invocation): Promise<number> {
  const room = await roomNamed(adminClient(invocation), nameOf(invocation));
  return answer(invocation, isOn(invocation, "json") ? JSON.stringify(room) : stringify(room).trimEnd());
}

export async function create(invocation: Invocation): Promise<number> {
  const document = readFields(invocation.positionals, invocation.io);
  const room = roomIn(await adminClient(invocation).call("POST", "/v1/rooms", document));
  return answer(invocation, `Created room ${room.name}: ${summary(room)}.`);
}

export async function update(invocation: Invocation): Promise<number> {
  const name = nameOf(invocation);
  const fields = readFields(invocation.positionals.slice(1), invocation.io);
  const room = roomIn(await adminClient(invocation).call("PATCH", roomPath(name), fields));
  const renamed = room.name === name ? "" : ` (was ${name})`;
  const { rollout } = room;
  if ("origin" in fields && rollout?.state === "running")
    invocation.io.talk(
      `New sessions follow the new origin in steps, 1 % at first, all after an hour; at once: anteroom room rollout ${room.name} --now`,
    );
  return answer(invocation, `Updated room ${room.name}${renamed}: ${summary(room)}.`);
}

export async function remove(invocation: Invocation): Promise<number> {
  const room = roomIn(await adminClient(invocation).call("DELETE", roomPath(nameOf(invocation))));
  if (room.host === undefined) return answer(invocation, `Deleted room ${room.name}, which could not be read.`);
  return answer(
    invocation,
    `Deleted room ${room.name}: visitors of ${routesText(room)} are no longer counted or held.`,
  );
}

export async function apply(invocation: Invocation): Promise<number> {
  const file = readRoomsFile(invocation.io, nameOf(invocation));
  const isTrial = isOn(invocation, "dry-run");
  const results = await applied(file, adminClient(invocation), isTrial);
  if (isOn(invocation, "json")) return answer(invocation, JSON.stringify({ dry_run: isTrial, results }));
  if (results.length === 0) invocation.io.talk("The file names no rooms; nothing was changed.");
  else answer(invocation, outcomeLines(results, { isTrial }).join("\n"));
  if (isTrial && results.length > 0) invocation.io.talk("Nothing was changed.");
  return EXIT.ok;
}

/** What the node did with the rooms of a file, or would do; what it objects to comes with its line in the file. */
async function applied({ rooms, located }: RoomsFile, client: AdminClient, isTrial: boolean) {
  const path = `/v1/rooms/apply${isTrial ? "?dry_run=true" : ""}`;
  try {
    const body = await client.call("POST", path, { rooms: rooms.map(documentToApply) });
    return answerField(body, "results") as readonly Applied[];
  } catch (error) {
    if (!(error instanceof Failure) || error.problems.length === 0) throw error;
    throw new Failure(error.message, { problems: located(error.problems), cause: error });
  }
}

const TRIAL_WORDS: Readonly<Record<Applied["outcome"], string>> = {
  created: "would be created",
  updated: "would be updated",
  unchanged: "stays as it is",
};

/** What was done, or would be: one line for each room; in a trial also one for each field that would change, with both values. */
function outcomeLines(results: readonly Applied[], { isTrial }: { readonly isTrial: boolean }): string[] {
  if (!isTrial) return results.map(({ name, outcome }) => `${outcome.padEnd(9)} ${name}`);
  return results.flatMap(({ name, outcome, changes = [] }) => [
    `room ${name}: ${TRIAL_WORDS[outcome]}`,
    ...changes.map(({ field, from, to }) => `  ${field}: ${from} → ${to}`),
  ]);
}

/** A room's document leaves out what is empty; to apply, no events and no word about events are two things. */
function documentToApply(room: Room): RoomDocument {
  return { ...roomDocument(room), ...(room.events?.length === 0 && { events: [] }) };
}

export async function exportRooms(invocation: Invocation): Promise<number> {
  const client = adminClient(invocation);
  const name = invocation.positionals[0];
  const found = name === undefined ? await everyRoom(client) : [await roomNamed(client, name)];
  // A room without events says so: applying it removes those that were added later.
  const rooms = found.map((room) => ({ ...declaredPart(room), events: room.events ?? [] }));
  const json = isOn(invocation, "json");
  return answer(invocation, json ? JSON.stringify({ rooms }, null, 2) : stringify({ rooms }).trimEnd());
}

/** All rooms of the mesh. Throws `Failure` where the file would lack some without a word. */
async function everyRoom(client: AdminClient): Promise<readonly RoomAnswer[]> {
  const status = await client.call("GET", "/v1/status");
  if (answerField(status, "view") === null) {
    throw new Failure("Cannot export the rooms as the node has not joined its mesh: it may not know all of them", {
      hint: "ask another node with --admin ADDR, or wait until anteroom doctor --ready succeeds",
    });
  }
  const answer = await client.call("GET", "/v1/rooms");
  const { unreadable = [] } = answer as { readonly unreadable?: readonly string[] };
  if (unreadable.length > 0) {
    throw new Failure(`Cannot export all rooms as this node cannot read ${unreadable.join(", ")}`, {
      hint: "ask a node of the newest release in the mesh, or delete what no release can read",
    });
  }
  return answerField(answer, "rooms") as readonly RoomAnswer[];
}

/** The fields of a room that a rooms file may have. */
function declaredPart(room: RoomAnswer): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(room).filter(([key]) => !READ_ONLY.includes(key)));
}

/** All rooms of the node. */
async function allRooms(client: AdminClient): Promise<readonly RoomAnswer[]> {
  return answerField(await client.call("GET", "/v1/rooms"), "rooms") as readonly RoomAnswer[];
}

/** The room called `name`. Throws `Failure`. */
export async function roomNamed(client: AdminClient, name: string): Promise<RoomAnswer> {
  return roomIn(await client.call("GET", roomPath(name)));
}

/** Gives an order about a room; returns the room after it. Throws `Failure`. */
export async function orderRoom(
  client: AdminClient,
  name: string,
  order: "hold" | "open" | "resume",
  about?: { readonly sold_out: true },
): Promise<RoomAnswer> {
  return roomIn(await client.call("POST", `${roomPath(name)}/${order}`, about));
}

function roomIn(body: unknown): RoomAnswer {
  return answerField(body, "room") as RoomAnswer;
}

function nameOf({ positionals }: Invocation): string {
  return positionals[0] ?? "";
}

function answer({ io }: Invocation, text: string): number {
  io.answer(text);
  return EXIT.ok;
}

function summary(room: RoomAnswer): string {
  const inside = number(room.total_active_users ?? 0);
  const perMinute = number(room.new_users_per_minute ?? 0);
  return `${routesText(room)}, ${inside} inside, ${perMinute} per minute, ${modeOf(room)}`;
}

function routesText(room: RoomAnswer): string {
  const more = room.additional_routes?.length ?? 0;
  return `${room.host}${room.path}${more === 0 ? "" : ` and ${count(more, "route")} more`}`;
}

/** The effect of the fields on the room, the strongest first. */
function modeOf(room: RoomAnswer): string {
  const { operator_order: ordered } = room;
  if (ordered) return orderText({ kind: ordered.order, sinceMs: Date.parse(ordered.since) });
  if (room.suspended) return "suspended";
  if (room.queue_all) return "held";
  return room.queueing_method ?? "fifo";
}

function roomTable(rooms: readonly RoomAnswer[], { io }: Invocation): string {
  return tableOrBlocks(
    [
      { title: "ROOM", cutTo: 8 },
      { title: "ROUTE", cutTo: 12 },
      { title: "INSIDE", align: "right" },
      { title: "PER MINUTE", align: "right" },
      { title: "MODE" },
    ],
    rooms.map((room) => [
      room.name,
      routesText(room),
      number(room.total_active_users ?? 0),
      number(room.new_users_per_minute ?? 0),
      modeOf(room),
    ]),
    tableOptions(io),
  );
}
