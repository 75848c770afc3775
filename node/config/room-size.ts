/**
 * How large rooms may be: one number for each room's document, and two for all rooms of a mesh.
 *
 * Every node keeps every room in memory and on disk, and sends it to others in one piece. A document that is too large
 * is refused where it is written, with all other problems: no node would accept it.
 */

import { ROOM_BYTES_MAX, ROOMS_MAX } from "../../mesh/core/wire/shapes.ts";
import type { Problem } from "./problem.ts";

/** All documents of a mesh together: a thousand rooms of 16 KiB. A new node receives them within a second or two. */
export const ALL_ROOMS_BYTES_MAX = 16 * 1024 * 1024;

/** The size of a document, in bytes of JSON. A rollout does not count: nodes write it, and it must always fit. */
export function documentBytes({ rollout, ...document }: Readonly<Record<string, unknown>>): number {
  return jsonBytes(document);
}

/** The problem of a document that is too large; it names the longest field. */
export function documentSizeProblems(document: Readonly<Record<string, unknown>>, place: string): Problem[] {
  const bytes = documentBytes(document);
  if (bytes <= ROOM_BYTES_MAX) return [];
  const fields = Object.entries(document).map(([name, value]) => ({ name, bytes: jsonBytes(value) }));
  const longest = fields.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  return [
    {
      path: place === "" ? longest.name : `${place}.${longest.name}`,
      problem: `makes the room too large: it takes ${bytes} bytes as JSON, ${longest.bytes} of them here, and may take ${ROOM_BYTES_MAX}`,
      repair: "shorten it; a waiting page may load images, styles and scripts from elsewhere",
    },
  ];
}

export interface RoomsAmount {
  readonly rooms: number;
  /** Bytes of all documents as JSON. */
  readonly bytes: number;
}

/** Which bounds all rooms together exceed. */
export function amountProblems({ rooms, bytes }: RoomsAmount): Problem[] {
  const problems: Problem[] = [];
  if (rooms > ROOMS_MAX) {
    problems.push({
      path: "rooms",
      problem: `would be ${rooms}: a mesh has at most ${ROOMS_MAX}`,
      repair: "give several routes to one room (additional_routes), or delete a room",
    });
  }
  if (bytes > ALL_ROOMS_BYTES_MAX) {
    problems.push({
      path: "rooms",
      problem: `would take ${bytes} bytes as JSON: all rooms of a mesh together take at most ${ALL_ROOMS_BYTES_MAX}`,
      repair: "shorten the longest pages (custom_page_html): images, styles and scripts may come from elsewhere",
    });
  }
  return problems;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
