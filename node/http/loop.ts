/**
 * Requests that come back: an origin that leads to a gate of the same mesh, directly or through other proxies.
 *
 * Without a mark the request would loop until connections run out, and take a slot each time. The mark is in the field
 * that RFC 8586 made for it, `CDN-Loop`; `Via` is only read, as servers change their answers when they get one (nginx
 * no longer compresses).
 */

import { createHash } from "node:crypto";
import { isField } from "./fields.ts";
import type { HeaderList } from "./message.ts";

export const LOOP_FIELD = "CDN-Loop";

/** Digits of the mesh's mark: no other mesh has it by chance. */
const MARK_DIGITS = 16;

/** The name by which the gates of a mesh recognise their own requests; reveals nothing else about the mesh. */
export function loopNameOf(meshId: string): string {
  return `anteroom-${createHash("sha256").update(`anteroom loop ${meshId}`).digest("hex").slice(0, MARK_DIGITS)}`;
}

/** Whether a request has been through a gate of this mesh already. */
export function hasPassed(headers: HeaderList, loopName: string): boolean {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? "";
    if ((isField(name, "cdn-loop") || isField(name, "via")) && headers[at + 1]?.toLowerCase().includes(loopName))
      return true;
  }
  return false;
}
