/**
 * A room as its register has it, read and checked before anything uses it.
 *
 * Any member may have written it, or another version of anteroom. A register that cannot be read is a value with its
 * problems: it affects that room alone, and is repaired by deleting the room or applying it again.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { RoomId } from "../../mesh/core/ids.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { isObject } from "../config/is-object.ts";
import { type Checked, type Problem, shownValue } from "../config/problem.ts";
import type { Room, Route } from "../config/room.ts";
import { claimOf, parseStoredRoom, roomDocument } from "../config/room-document.ts";
import { ROOM_NAME } from "../config/room-name.ts";

/** A room with what identifies it. */
export interface StoredRoom {
  readonly id: RoomId;
  readonly firstName: string;
  readonly room: Room;
  readonly createdMs: number;
  readonly modifiedMs: number;
  /** What the secrets of its draws are made from: in the register beside the document, and shown nowhere. */
  readonly drawKey: string | undefined;
  /** Those of its origins that may not lead to a node itself, by URL. */
  readonly outside: readonly string[];
}

/** A stored room that is not used as it is. */
export interface UnreadableRoom {
  /** The name to delete it by. */
  readonly name: string;
  readonly problems: readonly Problem[];
  /** Where its visitors are, as far as that can be read. */
  readonly routes: readonly Route[];
}

/** The latest time that a date can show: a later one would fail wherever the room is shown. */
const DATE_MS_MAX = 8.64e15;

/** The id that a room has by its first name, unless it has that of a deleted one (room-ids.ts): 64 bits of a hash. */
export function roomIdOf(firstName: string): RoomId {
  return createHash("sha256").update(`anteroom room ${firstName}`).digest("hex").slice(0, 16) as RoomId;
}

/** The room in a register that has a document, or what is wrong with it. */
export function readStoredRoom(id: RoomId, register: Register & { document: string }): Checked<StoredRoom> {
  const { firstName, document, createdMs, stamp } = register;
  const place = `room ${firstName}`;
  const complaint = complaintOf(register);
  if (complaint !== undefined)
    return { ok: false, problems: [{ path: place, ...complaint, repair: "delete the room, and create it again" }] };
  const room = parseStoredRoom(document, place);
  if (!room.ok) return room;
  const { [DRAW_KEY]: drawKey, [OUTSIDE]: outside = [] } = BESIDE.safeParse(JSON.parse(document)).data ?? {};
  const stored = { id, firstName, room: room.value, createdMs, modifiedMs: stamp.wallMs, drawKey, outside };
  return { ok: true, value: stored };
}

/** What a room's register has: its document, and beside it the key of its draws, and which origins are outside. */
export function storedText({ room, drawKey, outside }: Pick<StoredRoom, "room" | "drawKey" | "outside">): string {
  return JSON.stringify({
    ...roomDocument(room),
    ...(drawKey !== undefined && { [DRAW_KEY]: drawKey }),
    ...(outside.length > 0 && { [OUTSIDE]: outside }),
  });
}

const DRAW_KEY = "draw_key";
const OUTSIDE = "outside_origins";

/** What cannot be read is none: then nothing is drawn. */
const BESIDE = z.object({
  [DRAW_KEY]: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional()
    .catch(undefined),
  [OUTSIDE]: z.array(z.string()).optional().catch(undefined),
});

/**
 * Where the visitors are of a room that cannot be read: nobody is admitted there, as nobody knows its limits. None for
 * a register that no release writes, and for a room that is suspended.
 */
export function closedRoutes({ document }: Register & { document: string }): readonly Route[] {
  try {
    const claimed: unknown = JSON.parse(document);
    if (isObject(claimed) && claimed.suspended === true) return [];
    return claimOf(claimed).routes.filter((route) => route !== undefined);
  } catch {
    // Not JSON: where it lies is lost with the rest, and its visitors pass.
    return [];
  }
}

function complaintOf({ firstName, createdMs, stamp }: Register) {
  if (!ROOM_NAME.test(firstName)) return { value: shownValue(firstName) ?? "", problem: "is no name of a room" };
  if (Math.max(createdMs, stamp.wallMs) > DATE_MS_MAX)
    return { value: `${createdMs}`, problem: "has no possible date" };
  return undefined;
}
