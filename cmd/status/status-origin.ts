/**
 * The origins in a status: a table if there is a choice or a problem, and a sentence for each rollout.
 */

import type { OriginStatus, RoomStatus } from "../../node/operator/status/status.ts";
import { type Cell, type Column, span, type TableOptions, tableOrBlocks, wrap } from "../print.ts";

const COLUMNS: readonly Column[] = [
  { title: "ROOM", cutTo: 8 },
  { title: "ORIGIN", cutTo: 20 },
  { title: "STATE" },
  { title: "SINCE", align: "right" },
  { title: "WEIGHT", align: "right" },
  { title: "SESSIONS", align: "right" },
];

const UNKNOWN = "–";

/** The table, and below it the rollouts; undefined where every room has one origin that is up. */
export function renderOrigins(rooms: readonly RoomStatus[], nowMs: number, options: TableOptions): string | undefined {
  const shown = rooms.flatMap(({ name, origin }) =>
    origin !== undefined && isWorthShowing(origin) ? [{ name, origin }] : [],
  );
  if (shown.length === 0) return undefined;
  const rows = shown.flatMap(({ name, origin: { targets, rollout } }) =>
    targets.map((target, at): (Cell | string)[] => [
      at === 0 ? name : "",
      target.url,
      target.state === "up" ? "up" : { text: "down", style: "red" },
      span(Math.max(0, nowMs - target.since_ms) / 1_000),
      isMoving(rollout) ? `${Number((target.part * 100).toFixed(1))} %` : target.weight.toLocaleString("en-US"),
      target.share_here === null ? UNKNOWN : `${Math.round(target.share_here * 100)} %`,
    ]),
  );
  const words = shown.flatMap(({ name, origin: { rollout } }) =>
    rollout === null ? [] : [wrap(`Room ${name}: ${rollout.words}.`, options.width)],
  );
  return [tableOrBlocks(COLUMNS, rows, options), ...words].join("\n");
}

/** Then the parts of now are shown in place of the declared weights. */
function isMoving(rollout: OriginStatus["rollout"]): boolean {
  return rollout !== null && rollout.state !== "reversed";
}

function isWorthShowing({ targets, rollout }: OriginStatus): boolean {
  return targets.length > 1 || rollout !== null || targets.some(({ state }) => state === "down");
}
