/**
 * The public log of one room's line in this locality: made here while this node keeps the line, otherwise a copy.
 *
 * The keeper of the line adds an entry every ten seconds in which something happened, and sends it to the other nodes
 * of the locality. A node that lacks some asks for them. When another node becomes the keeper, it continues the newest
 * log that it has, and its first entry says that the line was taken over. What the lost node did after its last entry
 * stays unknown, and the times of the entries show the gap.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { isoOf } from "../../iso-time.ts";
import type { Admission } from "../admission.ts";
import type { Gap, LogEntry } from "../call-log.ts";
import { type LogPin, publicRoom } from "../receipt.ts";
import { orderName, type RoomConfig } from "../room-config.ts";
import { signedStatement } from "../statement.ts";
import type { Counters } from "./counters.ts";
import { type KeptEntry, KeptLog } from "./kept-log.ts";
import { LOG_LINES_MAX, type RoomMessageOf } from "./room-messages.ts";
import type { RoomNode } from "./room-node.ts";

/**
 * Between two entries. Halved, a log reaches back half as long; doubled, it tells half as well when somebody was
 * called.
 */
const ENTRY_MS = 10_000;

/**
 * How long a node that has just become the keeper listens for entries that it lacks, before it adds its own: a round
 * trip, and some. Without it, a node that was started again would continue from an old entry.
 */
const LISTEN_MS = 2_000;

/** Entries that go out with a new one, so that one lost message leaves no hole. */
const SENT_AGAIN = 3;

export interface LogKeeperParts {
  readonly id: RoomId;
  readonly roomNode: RoomNode;
  readonly config: RoomConfig;
  readonly admission: Admission;
  readonly counters: Pick<Counters, "isSelf" | "first">;
  readonly restored: readonly string[];
}

export class LogKeeper {
  readonly #parts: LogKeeperParts;
  readonly #kept: KeptLog;
  /** Since when this node keeps the line. */
  #sinceMs: number | undefined;
  /** What the next entry says of the time before it; undefined where it follows the last one without a gap. */
  #gap: Gap | undefined;
  #other: LogEntry["other"];
  #writtenMs = 0;
  #tickedMs = 0;

  constructor(parts: LogKeeperParts) {
    this.#parts = parts;
    const { outbox, notary } = parts.roomNode;
    this.#kept = new KeptLog({ id: parts.id, outbox, notary, restored: parts.restored });
  }

  /** The entries that this node has, in order; none in a room without a public log. */
  get entries(): readonly KeptEntry[] {
    return this.#isOn ? this.#kept.entries : [];
  }

  /** The newest entry, for a receipt. */
  get pin(): LogPin | undefined {
    const last = this.#isOn ? this.#kept.last : undefined;
    if (last === undefined) return undefined;
    const { line, began, number } = last.entry;
    return { line, began, number, digest: last.digest };
  }

  /** Twice a second: adds an entry, if this node keeps the line and one is due. */
  tick(nowMs: number): void {
    const { admission, counters } = this.#parts;
    this.#tickedMs = nowMs;
    if (!this.#isOn) {
      admission.calls.take();
      this.#sinceMs = undefined;
      this.#kept.shrink();
    } else if (!counters.isSelf) {
      if (this.#sinceMs !== undefined) this.#part(nowMs);
      admission.calls.take();
      this.#sinceMs = undefined;
    } else this.#keep(nowMs);
  }

  /** Entries of another node of this locality. */
  hear(from: NodeId, { lines, isAnswer }: RoomMessageOf<"log">): void {
    const { roomNode } = this.#parts;
    if (!this.#isOn || roomNode.localityOf(from) !== roomNode.locality) return;
    const unknown = this.#entriesIn(lines).filter((one) => !this.#kept.knows(one));
    const [first] = unknown;
    const last = unknown.at(-1);
    if (first === undefined || last === undefined) return;
    if (this.#isMaking) this.#noteOther(last);
    else if (this.#kept.isNext(first)) this.#kept.adopt(unknown);
    // A part of a log says nothing alone: what lies before it decides whether it is the same log.
    else if (!isAnswer) this.#askFor(from);
    else if (this.#isRightful(from, last)) this.#kept.adopt(unknown);
    else this.#noteOther(last);
    if (isAnswer && lines.length === LOG_LINES_MAX && !this.#isMaking) this.#askFor(from);
  }

  /** The room is about to change: what was called until now was called in the order of before. */
  beforeChange(): void {
    if (this.#isOn && this.#isMaking && this.#parts.admission.calls.hasNews) this.#write(this.#tickedMs);
  }

  /** Another node lacks entries. */
  answer(from: NodeId, { after, digest }: RoomMessageOf<"log-wanted">): void {
    const { id, roomNode } = this.#parts;
    const lines = this.#isOn ? this.#kept.after(after, digest, LOG_LINES_MAX) : [];
    if (lines.length > 0) roomNode.outbox.send(from, { kind: "log", room: id, lines, isAnswer: true });
  }

  /** Whether this node adds entries: it keeps the line, and has heard what the others have. */
  get #isMaking(): boolean {
    return this.#sinceMs !== undefined && this.#gap === undefined;
  }

  get #isOn(): boolean {
    return this.#parts.config.room.publicLog;
  }

  #keep(nowMs: number): void {
    const { admission } = this.#parts;
    if (this.#sinceMs === undefined) {
      this.#sinceMs = nowMs;
      this.#gap = "takeover";
      for (const node of this.#siblings()) this.#askFor(node);
    }
    // A clock that was set back: the log goes on.
    const sinceMs = Math.abs(nowMs - this.#sinceMs);
    if (this.#gap !== undefined) {
      if (sinceMs >= LISTEN_MS) this.#write(nowMs);
    } else if (admission.calls.hasNews && Math.abs(nowMs - this.#writtenMs) >= ENTRY_MS) this.#write(nowMs);
  }

  /** Another node keeps the line from now on: what is not in the log yet goes to it. */
  #part(nowMs: number): void {
    if (this.#gap === undefined && this.#parts.admission.calls.hasNews) this.#write(nowMs);
    else this.#send();
  }

  #write(nowMs: number): void {
    const { id, roomNode, config, admission } = this.#parts;
    const { notary } = roomNode;
    const last = this.#kept.last;
    // A clock that was set back, or is behind that of the node before: the log never goes back.
    const toMs = Math.max(nowMs, Date.parse(last?.entry.to ?? isoOf(nowMs)));
    const to = isoOf(toMs);
    const gap = this.#gapAfter(last);
    const { calledUpTo, letIn, letInUpTo, isOpen } = admission.calls.take();
    const entry: LogEntry = {
      anteroom: "log 1",
      mesh: roomNode.meshId,
      room: publicRoom(id, notary),
      line: roomNode.locality,
      began: last?.entry.began ?? to,
      number: (last?.entry.number ?? 0) + 1,
      from: gap === undefined && last !== undefined ? last.entry.to : isoOf(Math.min(this.#sinceMs ?? toMs, toMs)),
      to,
      ...(gap !== undefined && { gap }),
      ...(this.#other !== undefined && { other: this.#other }),
      order: orderName(config),
      called_up_to: calledUpTo,
      let_in: letIn,
      let_in_up_to: letInUpTo,
      waiting: admission.waiting,
      called: admission.called,
      ...(isOpen && { open: true }),
      previous: last?.digest ?? "",
      node: roomNode.self,
    };
    const made = this.#kept.read(signedStatement(entry, notary));
    if (made !== undefined) this.#kept.append(made);
    this.#gap = undefined;
    this.#other = undefined;
    this.#writtenMs = nowMs;
    this.#send();
  }

  #gapAfter(last: KeptEntry | undefined): Gap | undefined {
    if (this.#gap === undefined) return undefined;
    if (last === undefined) return "start";
    return last.entry.node === this.#parts.roomNode.self ? "restart" : "takeover";
  }

  #send(): void {
    const { id, roomNode } = this.#parts;
    const lines = this.#kept.entries.slice(-SENT_AGAIN).map(({ text }) => text);
    if (lines.length === 0) return;
    for (const node of this.#siblings()) roomNode.outbox.send(node, { kind: "log", room: id, lines, isAnswer: false });
  }

  /**
   * Whether another log replaces the own one: that of the node that keeps the line, or a longer one before this node
   * keeps it.
   */
  #isRightful(from: NodeId, last: KeptEntry): boolean {
    if (!this.#parts.counters.isSelf) return from === this.#parts.counters.first;
    return last.entry.number > (this.#kept.last?.entry.number ?? 0);
  }

  #noteOther({ entry: { node, number }, digest }: KeptEntry): void {
    if (this.#sinceMs !== undefined) this.#other = { node, number, digest };
  }

  #askFor(from: NodeId): void {
    const { id, roomNode } = this.#parts;
    const { entry, digest } = this.#kept.last ?? {};
    roomNode.outbox.send(from, { kind: "log-wanted", room: id, after: entry?.number ?? 0, digest: digest ?? "" });
  }

  /**
   * The entries of this log in a message: in order, signed by the nodes that they name, and up to the first that is
   * not.
   */
  #entriesIn(lines: readonly string[]): readonly KeptEntry[] {
    const { id, roomNode } = this.#parts;
    const entries: KeptEntry[] = [];
    for (const line of lines) {
      const one = this.#kept.read(line);
      if (one === undefined || !this.#isSound(one)) return entries;
      const { room, mesh, line: where } = one.entry;
      if (room !== publicRoom(id, roomNode.notary) || mesh !== roomNode.meshId || where !== roomNode.locality)
        return entries;
      const before = entries.at(-1);
      if (before !== undefined && one.entry.previous !== before.digest) return entries;
      entries.push(one);
    }
    return entries;
  }

  /** Known entries were checked before. */
  #isSound(one: KeptEntry): boolean {
    return this.#kept.knows(one) || this.#kept.isSigned(one);
  }

  #siblings(): readonly NodeId[] {
    const { roomNode } = this.#parts;
    return (roomNode.alive().get(roomNode.locality) ?? []).filter((node) => node !== roomNode.self);
  }
}
