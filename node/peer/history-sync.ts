/**
 * The minutes that are over, at all nodes: each node publishes its own when they end, and every so often asks another
 * one for what it lacks (anti-entropy by digest).
 *
 * It has the lowest priority: it uses the stream for tables, sends a few hundred records a second at most, and pauses
 * while this node is under pressure.
 */

import type { Minute, NodeId } from "../../mesh/core/ids.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import {
  type HistoryMessage,
  knownIn,
  knownOf,
  packedPiece,
  RECORDS_AT_ONCE,
  unpackedPiece,
} from "../history/history-messages.ts";
import { ENDS, type End, type MinuteRecord, type Piece, type Source } from "../history/minute-record.ts";

/** Where the minutes are kept. */
export interface HistoryShelf {
  readonly sources: readonly Source[];
  sourceOf(node: NodeId, run: number): Source | undefined;
  take(pieces: readonly Piece[], floor: Minute): boolean;
  pieceOf(source: Pick<Source, "node" | "run">, from: number, max: number): Piece | undefined;
  prune(floor: Minute): void;
}

/** What the shell gives: left out, a node keeps no history, and says nothing about it. */
export interface HistoryOptions {
  readonly shelf: HistoryShelf;
  /** Whether the node has nothing better to do. */
  readonly isCalm: () => boolean;
}

/** For how long minutes are kept. */
export const KEPT_MS = 30 * 24 * 60 * 60_000;

/** Between two questions, and while this node knows that it lacks something. */
const ASK_MS = 15_000;
const ASK_SOON_MS = 1_000;

/** Questions that are answered in a second: each takes some ms. */
const ANSWERS_PER_SECOND = 3;

/** Between two times that old minutes are removed. */
const PRUNE_MS = 10_000;

/** Records of closed minutes that could not be written yet: ten minutes of as many rooms as a mesh may have. */
const UNWRITTEN_MAX = 10_000;

/** Runs that one process may begin because its clock went back. */
export const RUNS_PER_PROCESS = 1_000;

export interface HistorySyncParts extends HistoryOptions {
  readonly self: NodeId;
  readonly locality: string;
  readonly incarnation: number;
  readonly minuteMs: number;
  readonly random: () => number;
  readonly outbox: Outgoing<HistoryMessage>;
  readonly publish: (message: HistoryMessage) => void;
  /** The other members that answer now. */
  readonly others: () => readonly NodeId[];
}

export class HistorySync {
  readonly #parts: HistorySyncParts;
  #run: number;
  #now = 0 as Minute;
  #since: Minute | undefined;
  #unwritten: MinuteRecord[] = [];
  #until: Minute | undefined;
  #end: End = "open";
  #askedMs = Number.NEGATIVE_INFINITY;
  #answeredMs = Number.NEGATIVE_INFINITY;
  #answers = 0;
  #prunedMs: number | undefined;
  #isBehind = true;

  constructor(parts: HistorySyncParts) {
    this.#parts = parts;
    // Incarnations rise with each start, so no run of this node has had this number.
    this.#run = parts.incarnation * RUNS_PER_PROCESS;
  }

  /** The first minute of this process, or of a clock that was set back. */
  begin(minute: Minute): void {
    this.#now = minute;
    if (this.#since === undefined) this.#endEarlier();
    else if (!this.#nextRun()) return;
    this.#since = minute;
    this.#until = minute;
    this.#end = "open";
    // Their minutes are yet to come in the new run.
    this.#unwritten = [];
    this.#write();
  }

  /** All minutes before `until` are over: what was counted here since they were last closed. */
  close(until: Minute, records: readonly MinuteRecord[], end: End = "open"): void {
    this.#now = until;
    this.#until = until;
    this.#end = end;
    this.#unwritten.push(...records.slice(0, Math.max(0, UNWRITTEN_MAX - this.#unwritten.length)));
    this.#write();
  }

  hear(from: NodeId, message: HistoryMessage, isPublished = false): void {
    if (message.kind === "history-wanted") this.#answer(from, message);
    else {
      const pieces = message.pieces
        .map(unpackedPiece)
        .filter((piece) => piece !== undefined)
        // What this node counted it knows best; an author publishes only its own.
        .filter(({ node, run }) => !(node === this.#parts.self && run >= this.#run))
        .filter(({ node }) => !isPublished || node === from);
      if (!this.#parts.shelf.take(pieces, this.#floor)) return;
      if (message.more === true || pieces.some((piece) => this.#lacks(piece))) this.#isBehind = true;
    }
  }

  /** Call it a few times a second. */
  tick(steadyMs: number): void {
    if (this.#since === undefined || !this.#parts.isCalm()) return;
    this.#prunedMs ??= steadyMs;
    if (steadyMs - this.#prunedMs >= PRUNE_MS) {
      this.#prunedMs = steadyMs;
      this.#parts.shelf.prune(this.#floor);
    }
    if (steadyMs - this.#answeredMs >= 1_000) {
      this.#answeredMs = steadyMs;
      this.#answers = ANSWERS_PER_SECOND;
    }
    if (steadyMs - this.#askedMs < (this.#isBehind ? ASK_SOON_MS : ASK_MS)) return;
    const others = this.#parts.others();
    const other = others[Math.floor(this.#parts.random() * others.length)];
    if (other === undefined) return;
    this.#askedMs = steadyMs;
    this.#isBehind = false;
    this.#parts.outbox.send(other, { kind: "history-wanted", known: knownOf(this.#parts.shelf.sources) });
  }

  get #floor(): Minute {
    return Math.max(0, this.#now - Math.floor(KEPT_MS / this.#parts.minuteMs)) as Minute;
  }

  #lacks({ node, run, next }: Piece): boolean {
    return (this.#parts.shelf.sourceOf(node, run)?.next ?? 0) < next;
  }

  /** Earlier runs of this node that did not say how they ended: their last minute is lost. */
  #endEarlier(): void {
    const { shelf, self } = this.#parts;
    const open = shelf.sources.filter(({ node, end }) => node === self && end === "open");
    shelf.take(
      open.map((source) => ({ ...source, from: source.next, records: [], end: "crashed" as const })),
      this.#floor,
    );
  }

  /** Returns false where there are too many: the clock goes back all the time. */
  #nextRun(): boolean {
    const isLast = this.#run % RUNS_PER_PROCESS === RUNS_PER_PROCESS - 1;
    if (!isLast) this.#run += 1;
    return !isLast;
  }

  #write(): void {
    const { shelf, self, locality } = this.#parts;
    const [run, since, until] = [this.#run, this.#since, this.#until];
    if (since === undefined || until === undefined) return;
    const { first, next } = shelf.sourceOf(self, run) ?? { first: 1, next: 1 };
    const records = this.#unwritten;
    const own = { node: self, run, locality, since, first, until, end: this.#end };
    const piece: Piece = { ...own, from: next, next: next + records.length, records };
    if (!shelf.take([piece], this.#floor) || shelf.sourceOf(self, run) === undefined) return;
    this.#unwritten = [];
    if (this.#parts.others().length === 0) return;
    const shown = records.length <= RECORDS_AT_ONCE ? piece : { ...piece, records: records.slice(0, RECORDS_AT_ONCE) };
    this.#parts.publish({ kind: "history", pieces: [packedPiece(shown)] });
  }

  #answer(to: NodeId, { known }: Extract<HistoryMessage, { kind: "history-wanted" }>): void {
    if (this.#answers <= 0 || !this.#parts.isCalm()) return;
    this.#answers -= 1;
    const theirs = knownIn(known);
    const pieces: Piece[] = [];
    let left = RECORDS_AT_ONCE;
    let more = false;
    for (const source of this.#parts.shelf.sources) {
      const [, next = 1, until = -1, end = 0] = theirs(source.node, source.run) ?? [];
      const isNews =
        source.next > next || (source.next === next && (source.until > until || ENDS.indexOf(source.end) > end));
      if (!isNews) continue;
      if (left <= 0) {
        more = true;
        break;
      }
      const piece = this.#parts.shelf.pieceOf(source, next, left);
      if (piece === undefined) continue;
      pieces.push(piece);
      left -= piece.records.length;
      more ||= piece.from + piece.records.length < piece.next;
    }
    if (pieces.length > 0)
      this.#parts.outbox.send(to, { kind: "history", pieces: pieces.map(packedPiece), ...(more && { more }) });
  }
}
