/**
 * Requests that nobody repeats by hand, and that were turned away: calls of other servers, such as a notice of a
 * payment, and forms of other sites whose content was lost. Their paths tell the operator which rule is missing.
 */

import type { RoomCounts } from "../rooms/room-counts.ts";

/** Paths that are named. Doubled, a warning is too long to read; halved, it may name junk of a scanner only. */
const PATHS_MAX = 3;

/** Longest path that is named. */
const PATH_LENGTH_MAX = 80;

/** Notes a request for `target` that was turned away. */
export function noteLost({ lost }: RoomCounts, kind: "calls" | "forms", target: string): void {
  const { paths } = lost[kind];
  lost[kind].count += 1;
  if (paths.size >= PATHS_MAX) return;
  const path = target.replace(/\?.*/s, "");
  paths.add(path.length > PATH_LENGTH_MAX ? `${path.slice(0, PATH_LENGTH_MAX)}…` : path);
}
