/**
 * The draws of a room's events as anybody may read them: the hash of the secret from the declaration on, the list once
 * it is closed, and the secret from the start on.
 *
 * A node signs it with its time, so that who saved it before the start can prove what was public then. What is the same
 * for all who ask within a second is made once.
 */

import { signedStatement } from "../admission/statement.ts";
import { isoOf } from "../iso-time.ts";
import type { LiveRoom } from "../rooms/live-room.ts";

const SECOND_MS = 1_000;

/** The last draw that is over, and those that come next: 6 kB. */
const SHOWN_MAX = 16;

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

function bodyOf({ room, roomNode, draws }: LiveRoom, nowMs: number): string | undefined {
  const [first] = draws;
  if (first === undefined) return undefined;
  const ended = draws.findLastIndex(({ endMs }) => endMs <= nowMs);
  const shown = draws.slice(Math.max(0, ended)).slice(0, SHOWN_MAX);
  const { mesh, room: id } = first.terms;
  const fields = {
    ...{ anteroom: "draws 1", mesh, room: id, name: room.name, at: isoOf(nowMs) },
    draws: shown.map(({ key, terms: { event, startMs, announced }, hash, value, opened }) => ({
      ...{ event, start: isoOf(startMs), announced, hash, visitors: roomNode.draws?.countOf(key) ?? 0 },
      ...{ list: roomNode.draws?.listOf(key), value, ...opened },
    })),
    node: roomNode.self,
  };
  return `${signedStatement(fields, roomNode.notary)}\n`;
}
