/**
 * The rooms file: YAML or JSON with a list of room documents under `rooms:`.
 *
 * It declares the rooms that it names and says nothing about others. One reading finds all problems of all rooms: those
 * within each room, and those between them.
 */

import { checkClaims, type RoomClaim } from "./check-rooms.ts";
import { isObject } from "./is-object.ts";
import { didYouMean } from "./near-miss.ts";
import { type Checked, checked, type Problem, problemAt } from "./problem.ts";
import type { Room } from "./room.ts";
import { claimOf, parseRoom, roomDocument } from "./room-document.ts";
import { amountProblems, documentBytes } from "./room-size.ts";
import { unknownKeys } from "./unknown-keys.ts";
import { isOwnKey } from "./yaml-text.ts";

const WRITE_LIST = "write a list under rooms:, with one room per entry (- name: shop …)";

/** The rooms of a document `{rooms: [...]}`: a rooms file as data, or the body of the admin API's apply. */
export function parseRooms(data: unknown): Checked<readonly Room[]> {
  if (!isObject(data))
    return { ok: false, problems: [problemAt("", data, { problem: "has no rooms", repair: WRITE_LIST })] };
  const others = Object.keys(data).filter((key) => key !== "rooms" && !isOwnKey(key));
  const unknown = unknownKeys(others, "", (key) =>
    problemAt(key, data[key], { problem: "is not a known key", repair: didYouMean(key, ["rooms"], WRITE_LIST) }),
  );
  const { rooms: list } = data;
  if (!Array.isArray(list)) {
    const problem = list === undefined ? "is missing" : "is not a list";
    return { ok: false, problems: [...unknown, problemAt("rooms", list, { problem, repair: WRITE_LIST })] };
  }
  const tooMany = amountProblems({ rooms: list.length, bytes: 0 });
  if (tooMany.length > 0) return { ok: false, problems: [...unknown, ...tooMany] };
  const { rooms, claims, problems } = parseList(list);
  const clashes = checkClaims(claims, placeOfRoom);
  const bytes = rooms.reduce((sum, room) => sum + documentBytes(roomDocument(room)), 0);
  const tooLarge = amountProblems({ rooms: list.length, bytes });
  return checked(rooms, [...unknown, ...problems, ...clashes, ...tooLarge]);
}

/**
 * Rooms with problems are compared with the others as far as they can be read, so that a clash does not first appear in
 * the next run.
 */
function parseList(list: readonly unknown[]) {
  const rooms: Room[] = [];
  const claims: RoomClaim[] = [];
  const problems: Problem[] = [];
  for (const [index, document] of list.entries()) {
    const place = placeOfRoom(index);
    const room = parseRoom(document, place);
    if (room.ok) rooms.push(room.value);
    else problems.push(...room.problems);
    claims.push(claimOf(document));
  }
  return { rooms, claims, problems };
}

function placeOfRoom(index: number): string {
  return `rooms[${index}]`;
}
