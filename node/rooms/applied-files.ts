/**
 * Which rooms files were applied, so that a start does not apply one again after operators have changed rooms.
 *
 * The mesh remembers the contents that any node applied, and each node the one it saw last. A start applies a file
 * whose content is new to the mesh, or that was changed on this host since. A node without anything of its own (new, or
 * with an empty disk) leaves alone what the mesh has applied before. Contents are compared by a hash of the rooms, so
 * comments and order do not matter.
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { Entry } from "../../mesh/core/wire/entry.ts";
import { whole } from "../../mesh/core/wire/shapes.ts";
import type { Room } from "../config/room.ts";
import { roomDocument } from "../config/room-document.ts";

const SEEN = z.object({ digest: z.string().max(64), atMs: whole });

/** A content, and when it was applied or seen, in Unix ms. */
export type FileSeen = Readonly<z.output<typeof SEEN>>;

export const FILE_SEEN = new Entry({
  key: "rooms-file",
  shape: SEEN,
  writer: "node/process/shell.ts",
  holds: "which content of the rooms file this node saw last",
  without: "a start applies the file as if it were new, unless the mesh remembers its content",
});

/**
 * `apply`: new here. `unchanged`: nothing to do. `superseded`: applied before, and another one has been applied since.
 */
export type Verdict = "apply" | "unchanged" | "superseded";

/**
 * Contents that are remembered. An older one counts as new to a node with an empty disk; a site that changes its rooms
 * every day is remembered for two months.
 */
const REMEMBERED_MAX = 64;

const SHAPE = z.array(SEEN).max(REMEMBERED_MAX);

export function fileDigest(rooms: readonly Room[]): string {
  const documents = rooms.map((room) => JSON.stringify(roomDocument(room))).sort();
  return createHash("sha256").update(documents.join("\n")).digest("hex").slice(0, 32);
}

/** The contents that the mesh remembers, the last one first; none if they cannot be read. */
export function filesIn(register: Register | undefined): readonly FileSeen[] {
  try {
    return SHAPE.safeParse(JSON.parse(register?.document ?? "[]")).data ?? [];
  } catch {
    // The start continues; the memory is lost, so a file may be applied once more.
    return [];
  }
}

/** What the mesh remembers after `seen` has been applied. */
export function filesRegister(files: readonly FileSeen[], seen: FileSeen): Omit<Register, "stamp"> {
  const others = files.filter(({ digest }) => digest !== seen.digest);
  const document = JSON.stringify([seen, ...others].slice(0, REMEMBERED_MAX));
  return { firstName: "", document, createdMs: seen.atMs };
}

/** Whether a start applies a content; `own` is what this node saw last. */
export function verdictOf(digest: string, own: FileSeen | undefined, files: readonly FileSeen[]): Verdict {
  const [last] = files;
  if (last?.digest === digest) return "unchanged";
  const before = files.find((file) => file.digest === digest);
  if (own?.digest === digest) return before === undefined || last === undefined ? "unchanged" : "superseded";
  if (before === undefined) return "apply";
  // Changed on this host to an earlier content, unless others have done so since this node saw its own last.
  return own !== undefined && before.atMs <= own.atMs ? "apply" : "superseded";
}
