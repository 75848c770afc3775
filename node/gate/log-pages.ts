/**
 * The public log of a room as it is served: a line with the nodes whose signatures count, then entries, as JSON lines.
 *
 * The newest entries, or those before a number. What is the same for all who ask within a second is made once.
 */

import type { LogNodes } from "../admission/call-log.ts";
import { publicRoom } from "../admission/receipt.ts";
import { signedStatement } from "../admission/statement.ts";
import { isoOf } from "../iso-time.ts";
import type { LiveRoom } from "../rooms/live-room.ts";

/**
 * Entries in one answer: 140 kB. Doubled, a flood moves twice as many bytes; halved, a log takes twice as many
 * requests.
 */
export const PAGE_ENTRIES = 256;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

export interface LogPage {
  readonly body: string;
  /** The same for as long as nothing new is in it, and for a minute at most. */
  readonly tag: string;
}

interface Newest extends LogPage {
  readonly head: string;
  readonly second: number;
}

export class LogPages {
  readonly #newest = new WeakMap<LiveRoom, Newest>();

  /** `before`: only entries with lower numbers; undefined for the newest. */
  page(live: LiveRoom, before: number | undefined, nowMs: number): LogPage {
    const newest = this.#newestOf(live, nowMs);
    if (before === undefined) return newest;
    const { entries } = live.meshRoom.publicLog;
    const end = entries.findIndex(({ entry }) => entry.number >= before);
    const some = (end < 0 ? entries : entries.slice(0, end)).slice(-PAGE_ENTRIES);
    return { body: linesOf(newest.head, some), tag: `${newest.tag}-${before}` };
  }

  #newestOf(live: LiveRoom, nowMs: number): Newest {
    const second = Math.floor(nowMs / SECOND_MS);
    const known = this.#newest.get(live);
    if (known?.second === second) return known;
    const { entries } = live.meshRoom.publicLog;
    const head = headOf(live, nowMs);
    const tag = `${entries.at(-1)?.digest ?? "empty"}-${Math.floor(nowMs / MINUTE_MS)}`;
    const made = { head, second, tag, body: linesOf(head, entries.slice(-PAGE_ENTRIES)) };
    this.#newest.set(live, made);
    return made;
  }
}

function headOf({ id, room, roomNode, meshRoom }: LiveRoom, nowMs: number): string {
  const { entries } = meshRoom.publicLog;
  const nodes = new Set([roomNode.self, ...roomNode.others, ...entries.map(({ entry }) => entry.node)]);
  const fields: LogNodes = {
    anteroom: "log nodes 1",
    mesh: roomNode.meshId,
    room: publicRoom(id, roomNode.notary),
    name: room.name,
    line: roomNode.locality,
    at: isoOf(nowMs),
    first: entries[0]?.entry.number ?? 0,
    last: entries.at(-1)?.entry.number ?? 0,
    nodes: [...nodes],
    node: roomNode.self,
  };
  return signedStatement(fields, roomNode.notary);
}

function linesOf(head: string, entries: readonly { readonly text: string }[]): string {
  return `${[head, ...entries.map(({ text }) => text)].join("\n")}\n`;
}
