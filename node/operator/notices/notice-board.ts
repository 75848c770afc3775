/**
 * Finds what has changed in the mesh since this node last reported it.
 *
 * Each node looks for itself and keeps what it has reported in memory. While it starts it takes what it finds as
 * reported, except what operators have changed since, so a restart reports nothing again.
 *
 * The id of a notice follows from the change, so nodes that see one change give it one id, and a receiver can remove the
 * second. Changes that operators make have the stamp of their register in it; others have the span of time in which
 * they were seen. Two nodes on the two sides of a span's end give one change two ids.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { Stamp } from "../../../mesh/core/replica/hybrid-clock.ts";
import { orderKey, type RegisterKey } from "../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import type { RoomRegisters } from "../../rooms/room-registers.ts";
import { sha256Hex } from "../../sha256.ts";
import type { NodeStatus, RoomStatus } from "../status/status.ts";
import type { Notice, NoticeData, NoticeType } from "./notice.ts";
import {
  apartMs,
  heldMs,
  isOver,
  memberSubjects,
  normalOf,
  type Observation,
  roomSubjects,
  typeOf,
} from "./observe.ts";

export interface BoardParts {
  readonly mesh: string;
  readonly node: NodeId;
  readonly registers: RoomRegisters;
  /** Whether this node has heard what is in the mesh's registers. */
  readonly knowsRegisters: () => boolean;
  /** How a former member went. */
  readonly formerOf: (node: string) => "left" | "removed";
}

/**
 * A node that starts takes this long to hear from all others, and from visitors who wait. Halved, a restart reports
 * lines and losses that were reported before; doubled, more changes have no notice.
 */
export const WARM_UP_MS = 15_000;

/** Longest text in the data of a notice: a reason may hold the text of an error. */
const TEXT_MAX = 500;

/** What is known of a room, or of the mesh. */
interface Page {
  readonly room: RoomId | undefined;
  /** The room's name when it was last seen. */
  name: string | undefined;
  /** What was reported last, by subject; a subject that is over is left out. */
  readonly values: Map<string, string>;
  /** Since when a subject's value is another one, and which. */
  readonly differing: Map<string, { readonly value: string; readonly sinceMs: number }>;
}

export class NoticeBoard {
  readonly #parts: BoardParts;
  readonly #pages = new Map<RoomId | undefined, Page>();
  /** Of configurations; a document may have 256 KiB. */
  readonly #versions = new WeakMap<Register, string>();
  #startedMs: number | undefined;

  constructor(parts: BoardParts) {
    this.#parts = parts;
  }

  /** Looks at the mesh: the new notices, the oldest first. Call it about once a second. */
  look(status: NodeStatus): Notice[] {
    if (status.view === null || !this.#parts.knowsRegisters()) return [];
    this.#startedMs ??= status.now_ms;
    const rooms = new Map(status.rooms.map((room) => [room.id, room]));
    const mesh = this.#page(undefined, undefined);
    const members = memberSubjects(status, mesh.values, this.#parts.formerOf);
    const notices = this.#compare(mesh, members, status);
    for (const [id, register] of this.#parts.registers.all())
      notices.push(...this.#lookAt(id, { register, room: rooms.get(id), status }));
    return notices.sort((one, other) => one.atMs - other.atMs);
  }

  #lookAt(
    id: RoomId,
    { register, room, status }: { register: Register; room: RoomStatus | undefined; status: NodeStatus },
  ): Notice[] {
    const { document } = register;
    if (document === undefined) {
      const page = this.#pages.get(id);
      // If it is created again, it begins without any trouble.
      this.#pages.delete(id);
      if (page === undefined || this.#isSilent(id, "room", status)) return [];
      const change = { type: "room.deleted", subject: "room", value: "", atMs: status.now_ms, data: {} } as const;
      return [this.#notice(page, change, status.minute_ms)];
    }
    // A room that cannot be read has no status.
    if (room === undefined) return [];
    const page = this.#page(id, room.name);
    const version = this.#versions.getOrInsertComputed(register, () => sha256Hex(document).slice(0, 16));
    return this.#compare(page, roomSubjects(room, { ...status, version, values: page.values }), status);
  }

  #compare(page: Page, observations: readonly Observation[], status: NodeStatus): Notice[] {
    const { values, differing } = page;
    const { now_ms: nowMs, minute_ms: minuteMs } = status;
    const observed = new Set(observations.map(({ subject }) => subject));
    for (const subject of differing.keys()) if (!observed.has(subject)) differing.delete(subject);
    return observations.flatMap(({ subject, value, data }) => {
      const before = values.get(subject) ?? normalOf(subject);
      const type = typeOf(subject, before, value);
      const isSilent = this.#isSilent(page.room, subject, status);
      if (before === value || (type === undefined && !isSilent)) {
        differing.delete(subject);
        return [];
      }
      const atMs = sinceOf(page, { subject, value }, nowMs);
      if (!isSilent && nowMs - atMs < heldMs(subject, value, minuteMs)) return [];
      if (isOver(subject, value)) values.delete(subject);
      else values.set(subject, value);
      if (isSilent || type === undefined) return [];
      return [this.#notice(page, { type, subject, value, atMs, data }, minuteMs)];
    });
  }

  /** Whether a change may be from before the start. */
  #isSilent(room: RoomId | undefined, subject: string, { now_ms: nowMs }: NodeStatus): boolean {
    const startedMs = this.#startedMs ?? nowMs;
    if (Math.abs(nowMs - startedMs) >= WARM_UP_MS) return false;
    return (this.#stampOf(room, subject)?.wallMs ?? 0) <= startedMs;
  }

  #notice(page: Page, { type, subject, value, atMs, data }: Change, minuteMs: number): Notice {
    const { mesh, node } = this.#parts;
    const stamp = this.#stampOf(page.room, subject);
    const moment =
      stamp === undefined ? Math.floor(atMs / apartMs(subject, minuteMs)) : [stamp.wallMs, stamp.counter, stamp.node];
    const id = `ntc_${sha256Hex(JSON.stringify([mesh, page.room ?? "", subject, value, moment])).slice(0, 24)}`;
    return { id, type, atMs, node, room: page.name, data: shortened(data) };
  }

  /** When operators made a change, by the clock of the mesh; undefined if it is not theirs. */
  #stampOf(room: RoomId | undefined, subject: string): Stamp | undefined {
    if (room === undefined || (subject !== "room" && subject !== "order")) return undefined;
    const key: RegisterKey = subject === "room" ? room : orderKey(room);
    return this.#parts.registers.get(key)?.stamp;
  }

  #page(room: RoomId | undefined, name: string | undefined): Page {
    const fresh = () => ({ room, name, values: new Map(), differing: new Map() });
    const page = this.#pages.getOrInsertComputed(room, fresh);
    page.name = name;
    return page;
  }
}

interface Change extends Observation {
  readonly type: NoticeType;
  readonly atMs: number;
}

/** Since when the subject has this value, as far as this node has seen. */
function sinceOf({ differing }: Page, { subject, value }: Pick<Observation, "subject" | "value">, nowMs: number) {
  const known = differing.get(subject);
  if (known?.value === value && known.sinceMs <= nowMs) return known.sinceMs;
  differing.set(subject, { value, sinceMs: nowMs });
  return nowMs;
}

function shortened(data: NoticeData): NoticeData {
  return Object.fromEntries(
    Object.entries(data).map(([name, each]) => [name, typeof each === "string" ? each.slice(0, TEXT_MAX) : each]),
  );
}
