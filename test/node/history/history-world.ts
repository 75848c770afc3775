/** Nodes that keep a history and say to each other what they lack, without anything else of a node. */

import type { Minute, NodeId, RoomId } from "../../../mesh/core/ids.ts";
import { Codec } from "../../../mesh/core/wire/codec.ts";
import { HISTORY_SHAPES, type HistoryMessage } from "../../../node/history/history-messages.ts";
import { countsOf, FIELDS, type Field, type MinuteRecord } from "../../../node/history/minute-record.ts";
import { HistorySync } from "../../../node/peer/history-sync.ts";
import { HistoryStore } from "../../../node/storage/history-store.ts";

const NONE = Object.fromEntries(FIELDS.map((field) => [field, 0])) as Record<Field, number>;

export function recordAt(minute: number, admitted: number, room = "shop"): MinuteRecord {
  const counts = countsOf({ ...NONE, samples: 60, inside: 60, limit: 9, admitted });
  return { room: room as RoomId, name: room, minute: minute as Minute, counts, waits: [3, admitted], held: [] };
}

export function storeAt(path = ":memory:", more: Partial<ConstructorParameters<typeof HistoryStore>[0]> = {}) {
  const troubles: string[] = [];
  const onTrouble = (problem: string) => troubles.push(problem);
  return { store: new HistoryStore({ path, meshId: "mesh", minuteMs: 60_000, onTrouble, ...more }), troubles };
}

/** Everything that a store has, to compare. */
export function contentOf(store: HistoryStore): unknown {
  const sources = store.sources.map(({ node, run, first, next, until, end, since, locality }) => {
    const source = { node, run, first, next, until, end, since, locality };
    return { ...source, records: store.pieceOf({ node, run }, 1, 10_000)?.records };
  });
  return sources.sort((one, other) => (`${one.node} ${one.run}` < `${other.node} ${other.run}` ? -1 : 1));
}

interface Sent {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: HistoryMessage;
  readonly isPublished: boolean;
}

export class HistoryWorld {
  readonly nodes: HistoryNode[];
  readonly sent: Sent[] = [];
  steadyMs = 0;
  readonly codec = new Codec(HISTORY_SHAPES);
  /** Who reaches whom; all if it says nothing else. */
  reaches: (one: NodeId, other: NodeId) => boolean = () => true;

  constructor(names: readonly string[], random: () => number) {
    this.nodes = names.map((name) => new HistoryNode(name as NodeId, this, random));
  }

  othersOf(self: NodeId): readonly NodeId[] {
    return this.nodes.map(({ name }) => name).filter((node) => node !== self && this.reaches(self, node));
  }

  /** Carries what was sent; a message in a cut is lost. */
  carry(isLost: (sent: Sent) => boolean = () => false): void {
    for (let each = this.sent.shift(); each !== undefined; each = this.sent.shift()) {
      const { from, to, message, isPublished } = each;
      if (!this.reaches(from, to) || isLost(each)) continue;
      const decoded = this.codec.decode(this.codec.encode([message]));
      if (!decoded.ok) throw new Error(decoded.detail);
      for (const heard of decoded.messages)
        this.nodes.find(({ name }) => name === to)?.sync.hear(from, heard as HistoryMessage, isPublished);
    }
  }
}

export class HistoryNode {
  readonly name: NodeId;
  readonly #world: HistoryWorld;
  readonly #random: () => number;
  #starts = 0;
  isCalm = true;
  store = storeAt().store;
  sync: HistorySync;

  constructor(name: NodeId, world: HistoryWorld, random: () => number) {
    this.name = name;
    this.#world = world;
    this.#random = random;
    this.sync = this.#start();
  }

  /** The process ends and starts again; what is in the store stays. */
  restart(minute: number): void {
    this.sync = this.#start();
    this.sync.begin(minute as Minute);
  }

  close(until: number, records: readonly MinuteRecord[], end?: "stopped"): void {
    this.sync.close(until as Minute, records, end);
  }

  #start(): HistorySync {
    const { name, store } = this;
    const world = this.#world;
    const send = (to: NodeId, message: HistoryMessage, isPublished: boolean) =>
      world.sent.push({ from: name, to, message, isPublished });
    return new HistorySync({
      ...{ self: name, locality: "eu", incarnation: ++this.#starts, minuteMs: 60_000, shelf: store },
      ...{ random: this.#random, isCalm: () => this.isCalm, others: () => world.othersOf(name) },
      outbox: { send: (to, message) => send(to, message, false), put: () => {}, putLater: () => {}, putVote: () => {} },
      publish: (message) => {
        for (const to of world.othersOf(name)) send(to, message, true);
      },
    });
  }
}
