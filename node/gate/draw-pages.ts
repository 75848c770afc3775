/**
 * The draw of a room's event as anybody may read it: the commitments before the start, the closed list, and the
 * outcome.
 *
 * A node signs it with its time, so that who saved it before the start can prove what was public then. What is the same
 * for all who ask within a second is made once.
 */

import { signedStatement } from "../admission/statement.ts";
import { isoOf } from "../iso-time.ts";
import type { LiveRoom } from "../rooms/live-room.ts";

const SECOND_MS = 1_000;

interface Made {
  readonly second: number;
  readonly body: string | undefined;
}

export class DrawPages {
  readonly #made = new WeakMap<LiveRoom, Made>();

  /** Undefined where there is no draw. */
  page(live: LiveRoom, nowMs: number): string | undefined {
    const second = Math.floor(nowMs / SECOND_MS);
    const known = this.#made.get(live);
    if (known?.second === second) return known.body;
    const body = bodyOf(live, nowMs);
    this.#made.set(live, { second, body });
    return body;
  }
}

function bodyOf({ room, roomNode }: LiveRoom, nowMs: number): string | undefined {
  const shown = room.draw && roomNode.draws?.shown(room.draw.key);
  if (shown === undefined) return undefined;
  const { plan, commitments, closed, known, outcome } = shown;
  const { room: id, event, startMs, announced } = plan;
  const fields = {
    ...{ anteroom: "draw now 1", mesh: roomNode.meshId, room: id, name: room.name, event, start: isoOf(startMs) },
    announced,
    at: isoOf(nowMs),
    visitors: outcome?.list.count ?? known,
    commitments: commitments.map((text): unknown => JSON.parse(text)),
    closed,
    ...(outcome !== undefined && {
      ...{ value: outcome.value, list: outcome.list, seed: outcome.seed },
      secrets: outcome.secrets.map(([node, secret]) => ({ node, secret })),
    }),
    node: roomNode.self,
  };
  return `${signedStatement(fields, roomNode.notary)}\n`;
}
