/**
 * The list of a draw as it was closed, at every node that needs it: this node's rolls, corrected by what a node that
 * has the list says of it.
 *
 * The outcome names the list by its digest. So a node knows by itself whether it has the list, and whom it got it from
 * does not matter. Ids are compared in parts, by their first bits: the node that asks sends the sum of each part, and
 * gets each part that differs as a whole. Anything may be lost, doubled or late; the next question has what is left.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { DrawList } from "../admission/draw/draw-document.ts";
import { CLOSED_LIST, type DrawMessage, LIST_PARTS, ROLL_ENTRIES_MAX } from "./draw-messages.ts";
import { RollDigest } from "./roll-digest.ts";

const IDS_PER_PART = 2 ** 52 / LIST_PARTS;

/** Ids that one question is answered with, or one part of them: 1 MB, and less than a second's traffic of a node. */
const ANSWER_MAX = 50_000;

/** Between two questions. */
const ASK_MS = 500;

/**
 * Questions to one node in a row, 500,000 ids: one that never comes to an end does not keep this node from the others.
 */
const IN_A_ROW_MAX = 10;

/** A node that did not have the list is asked again after this time: it may have got it from another one. */
const ASK_AGAIN_MS = 5_000;

/** Parts are kept this long after they were needed: they take 40 bytes an id. */
const IDLE_MS = 30_000;

/**
 * Ids that are put on the disk. A node that lacks more, as one of another locality, fetches them again when it needs
 * them.
 */
const STORED_MAX = 50_000;

export interface ClosedListParts {
  readonly draw: string;
  readonly rolls: { readonly ids: () => Iterable<number> };
  readonly outbox: Outgoing<DrawMessage>;
  readonly restored: ReadonlyMap<string, unknown>;
}

type Question = Extract<DrawMessage, { kind: "list-sums" }>;
type Answer = Extract<DrawMessage, { kind: "list-ids" }>;

export class ClosedList {
  readonly #parts: ClosedListParts;
  /** Ids that are on the list and not on the rolls here, and the other way round. */
  readonly #added: Set<number>;
  readonly #dropped: Set<number>;
  #ids: ListIds | undefined;
  #digest: RollDigest | undefined;
  /** What is here; undefined until it is computed. */
  #here: DrawList | undefined;
  #isWanted = false;
  #wantedMs = Number.NEGATIVE_INFINITY;
  /** What has changed since it was digested, and since it was put on the disk. */
  #isStale = false;
  #isUnsaved = false;
  #asked: NodeId | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;
  #inARow = 0;
  /** Whether it has answered, and whether the rest of its answer is still to come. */
  #isAnswered = false;
  #isAnswering = false;
  /** By node: when it said that it does not have the list. */
  readonly #without = new Map<NodeId, number>();

  constructor(parts: ClosedListParts) {
    this.#parts = parts;
    const stored = CLOSED_LIST.read(parts.restored, parts.draw);
    this.#added = new Set(stored?.added);
    this.#dropped = new Set(stored?.dropped);
  }

  /** Whether something is to be computed that takes longer than a step. */
  get isBusy(): boolean {
    return this.#isWanted && (this.#here === undefined || this.#ids?.isWhole !== true);
  }

  has(list: DrawList): boolean {
    return this.#here?.digest === list.digest;
  }

  /** Whether each of these nodes has said lately that it does not have the list. */
  isNowhere(nodes: readonly NodeId[], steadyMs: number): boolean {
    return this.#here !== undefined && nodes.every((node) => this.#lacks(node, steadyMs));
  }

  /** The ids on it, some perhaps twice. */
  *ids(): Generator<number> {
    for (const id of this.#parts.rolls.ids()) if (!this.#dropped.has(id)) yield id;
    yield* this.#added;
  }

  /** Does about `max` steps of what is to be computed. */
  work(max: number): void {
    if (!this.#isWanted) return;
    this.#ids ??= new ListIds(this.ids());
    if (!this.#ids.isWhole) {
      this.#ids.gather(max);
      return;
    }
    if (this.#here !== undefined) return;
    this.#digest ??= new RollDigest(this.#ids.all());
    this.#here = this.#digest.work(max);
    if (this.#here !== undefined) this.#digest = undefined;
  }

  /** This node needs the list, which one of `nodes` may have, the likeliest first. Call it often, until it is here. */
  want(list: DrawList, nodes: readonly NodeId[], steadyMs: number): void {
    this.#use(steadyMs);
    if (this.#here === undefined) return;
    if (this.has(list)) {
      this.#save();
      return;
    }
    if (this.#ids?.isWhole !== true || steadyMs - this.#askedMs < ASK_MS) return;
    const able = nodes.filter((node) => !this.#lacks(node, steadyMs));
    const last = able.indexOf(this.#asked as NodeId);
    // One that answered is asked on, for a while; after one that did not, it is the next one's turn.
    const isAskedOn = this.#isAnswered && last >= 0 && this.#inARow < IN_A_ROW_MAX;
    const to = isAskedOn ? able[last] : able[(last + 1) % able.length];
    if (to === undefined) return;
    this.#inARow = isAskedOn ? this.#inARow + 1 : 1;
    this.#asked = to;
    this.#askedMs = steadyMs;
    this.#isAnswered = false;
    this.#isAnswering = true;
    const { counts, mixes } = this.#ids;
    this.#parts.outbox.send(to, { kind: "list-sums", draw: this.#parts.draw, list: list.digest, counts, mixes });
  }

  hear(from: NodeId, message: Question | Answer, steadyMs: number): void {
    if (message.kind === "list-sums") this.#answer(from, message, steadyMs);
    else if (from === this.#asked && this.#isAnswering) this.#take(from, message, steadyMs);
  }

  /** Frees what nobody has needed for a while. Call it now and then. */
  rest(steadyMs: number): void {
    if (!this.#isWanted || steadyMs - this.#wantedMs < IDLE_MS) return;
    this.#isWanted = false;
    this.#ids = undefined;
    this.#digest = undefined;
  }

  /** Takes it off the disk. */
  drop(): void {
    this.#parts.outbox.put(CLOSED_LIST.at(this.#parts.draw), undefined);
  }

  #use(steadyMs: number): void {
    this.#isWanted = true;
    this.#wantedMs = steadyMs;
  }

  /** A question that comes before the answer is computed is asked again. */
  #answer(to: NodeId, { list, counts, mixes }: Question, steadyMs: number): void {
    this.#use(steadyMs);
    if (this.#here === undefined || this.#ids?.isWhole !== true) return;
    const say = (what: Pick<Answer, "parts" | "ids" | "isLast" | "isHere">): void =>
      this.#parts.outbox.send(to, { kind: "list-ids", draw: this.#parts.draw, list, ...what });
    if (this.#here.digest !== list) {
      say({ parts: [], ids: [], isLast: true, isHere: false });
      return;
    }
    let [parts, ids, sent]: [number[], number[], number] = [[], [], 0];
    for (let part = 0; part < LIST_PARTS && sent < ANSWER_MAX; part++) {
      if (this.#ids.counts[part] === counts[part] && this.#ids.mixes[part] === mixes[part]) continue;
      const more = this.#ids.of(part);
      if (ids.length > 0 && ids.length + more.length > ROLL_ENTRIES_MAX) {
        say({ parts, ids, isLast: false, isHere: true });
        [parts, ids] = [[], []];
      }
      parts.push(part);
      ids.push(...more);
      sent += more.length;
    }
    say({ parts, ids, isLast: sent < ANSWER_MAX, isHere: true });
  }

  #take(from: NodeId, { parts, ids, isLast, isHere }: Answer, steadyMs: number): void {
    if (isLast) this.#isAnswering = false;
    if (!isHere) this.#without.set(from, steadyMs);
    if (!isHere || this.#ids?.isWhole !== true) return;
    const byPart = Map.groupBy(ids, partOf);
    for (const part of new Set(parts)) this.#replace(this.#ids, part, byPart.get(part) ?? []);
    this.#isAnswered = true;
    if (parts.length > 0) this.#isStale = this.#isUnsaved = true;
    // A list that is not complete need not be digested.
    if (!isLast || !this.#isStale) return;
    this.#isStale = false;
    // If it is not the list even now, something was lost, or that node does not say the truth: it is the next one's
    // turn.
    this.#isAnswered = false;
    this.#here = undefined;
    this.#digest = undefined;
  }

  #lacks(node: NodeId, steadyMs: number): boolean {
    return steadyMs - (this.#without.get(node) ?? Number.NEGATIVE_INFINITY) < ASK_AGAIN_MS;
  }

  #replace(all: ListIds, part: number, ids: readonly number[]): void {
    const [before, after] = [new Set(all.of(part)), new Set(ids)];
    for (const id of after) if (!before.has(id) && !this.#dropped.delete(id)) this.#added.add(id);
    for (const id of before) if (!after.has(id) && !this.#added.delete(id)) this.#dropped.add(id);
    all.replace(part, [...after]);
  }

  #save(): void {
    if (!this.#isUnsaved || this.#added.size + this.#dropped.size > STORED_MAX) return;
    this.#isUnsaved = false;
    const value = { added: [...this.#added], dropped: [...this.#dropped] };
    this.#parts.outbox.put(CLOSED_LIST.at(this.#parts.draw), value);
  }
}

/** Ids in parts, with the sum of each part: how many, and the exclusive or of their last 32 bits. */
class ListIds {
  readonly #source: Iterator<number>;
  readonly #parts = Array.from({ length: LIST_PARTS }, () => new Set<number>());
  readonly counts: number[] = Array.from({ length: LIST_PARTS }, () => 0);
  readonly mixes: number[] = Array.from({ length: LIST_PARTS }, () => 0);
  isWhole = false;

  constructor(ids: Iterable<number>) {
    this.#source = ids[Symbol.iterator]();
  }

  gather(max: number): void {
    for (let left = max; left > 0 && !this.isWhole; left--) {
      const { value, done } = this.#source.next();
      if (done === true) this.isWhole = true;
      else this.#add(partOf(value), value);
    }
  }

  of(part: number): number[] {
    return [...(this.#parts[part] ?? [])];
  }

  *all(): Generator<number> {
    for (const part of this.#parts) yield* part;
  }

  replace(part: number, ids: readonly number[]): void {
    this.#parts[part]?.clear();
    this.counts[part] = 0;
    this.mixes[part] = 0;
    for (const id of ids) this.#add(part, id);
  }

  #add(part: number, id: number): void {
    const ids = this.#parts[part];
    if (ids === undefined || ids.has(id)) return;
    ids.add(id);
    this.counts[part] = ids.size;
    this.mixes[part] = ((this.mixes[part] ?? 0) ^ (id % 2 ** 32)) >>> 0;
  }
}

function partOf(id: number): number {
  return Math.floor(id / IDS_PER_PART);
}
