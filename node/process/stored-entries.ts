/**
 * All durable entries of a node, and what a start finds on its disk: damaged ones, and those of a newer release.
 *
 * An entry that is damaged stops the start: half of what a node knew is worse than nothing. An entry that no part of
 * this release writes was written by a newer one. It is kept for that release, and named.
 */

import type { z } from "zod";
import { MEMBER_ENTRIES, VIEW } from "../../mesh/core/members/stored-members.ts";
import { REPLICA_ENTRIES } from "../../mesh/core/replica/replica-store.ts";
import { DamagedEntry, type Entry, type Stored } from "../../mesh/core/wire/entry.ts";
import { isWithin, rangeText, WIRES, wireOf } from "../../mesh/core/wire/wire-range.ts";
import { ROOM_ENTRIES } from "../admission/mesh/stored-room.ts";
import { DRAW_ENTRIES } from "../peer/draw-messages.ts";
import { PEER_ENTRIES } from "../peer/stored-peer.ts";
import { FILE_SEEN } from "../rooms/applied-files.ts";
import { ALIVE, FOUNDS } from "../storage/stored-node.ts";

/** Every entry, in the order of their keys. */
export const ENTRIES: readonly Entry<never>[] = (
  [
    FOUNDS,
    ALIVE,
    FILE_SEEN,
    ...PEER_ENTRIES,
    ...DRAW_ENTRIES,
    ...ROOM_ENTRIES,
    ...MEMBER_ENTRIES,
    ...REPLICA_ENTRIES,
  ] as readonly unknown[]
)
  .map((entry) => entry as Entry<never>)
  .sort((one, other) => (one.key < other.key ? -1 : 1));

/** The entry that a key belongs to; undefined for a key that this release does not write. */
export function entryOf(key: string): Entry<never> | undefined {
  return ENTRIES.find((entry) => entry.namesIn(key) !== undefined);
}

export interface Found {
  /** What is wrong with the first damaged entry; undefined if all are well. */
  readonly damage: string | undefined;
  /** Keys of a newer release, without the names behind them. */
  readonly unknown: readonly string[];
}

/** Looks at everything that is stored. */
export function look(stored: Stored): Found {
  const unknown = new Set<string>();
  for (const [key, value] of stored) {
    const entry = entryOf(key);
    if (entry === undefined) {
      unknown.add(key.split("/")[0] ?? key);
      continue;
    }
    try {
      entry.checked(key, value);
    } catch (error) {
      if (!(error instanceof DamagedEntry)) throw error;
      return { damage: error.message, unknown: [] };
    }
  }
  return { damage: undefined, unknown: [...unknown].sort() };
}

/** Why this release cannot be of the mesh that is stored: that speaks another wire version; undefined if it can. */
export function wireProblem(stored: Stored, understands = WIRES): string | undefined {
  const wire = storedWire(stored);
  if (wire === undefined || isWithin(wire, understands)) return undefined;
  return `its mesh speaks wire version ${wire}, and this release understands ${rangeText(understands)}`;
}

/** The wire version of the stored view, as far as that can be read: a later version may have other fields. */
function storedWire(stored: Stored): number | undefined {
  const view = stored.get(VIEW.at()) as Partial<z.output<typeof VIEW.shape>> | undefined;
  if (view === undefined) return undefined;
  return typeof view.wire === "number" ? view.wire : wireOf({}, WIRES);
}
