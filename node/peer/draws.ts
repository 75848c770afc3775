/**
 * The draws in which this node takes part: what their nodes say to each other, and who is drawn.
 *
 * A room names its draw when the pre-queue begins (`follow`), and asks for the seed until it is known. Each node sends
 * what it knows of all nodes, so two nodes need no connection with each other.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import { drawIdOf, drawKeyOf } from "../admission/draw/draw-seed.ts";
import type { Entry } from "../admission/draw/roll.ts";
import type { DrawPlan, DrawWait, PublicDraw, RoomDraws } from "../admission/draw/room-draws.ts";
import { KEYS_PER_MS } from "../admission/queue-order.ts";
import type { DrawNow } from "../config/room.ts";
import type { Notary } from "../notary.ts";
import { ClosedList } from "./closed-list.ts";
import { Draw, type DrawMembers, type DrawTime, termsOf } from "./draw.ts";
import { DRAW, type DrawMessage, type StoredDraw } from "./draw-messages.ts";
import { RollDigest } from "./roll-digest.ts";
import { Rolls } from "./rolls.ts";

/**
 * Draws that a node keeps: of more, those that began first are forgotten, unless a room has them now. Each may be
 * exported as long as it is kept.
 */
export const DRAWS_MAX = 64;

/**
 * Between two times that a node says all it knows, in ms: while a draw is under way, and while nothing is to happen.
 */
const SAY_MS = 500;
const SAY_AGAIN_MS = 5_000;

/** Rolls are put on the disk, and told to others, so often: until the start, and then until the list is closed. */
const ROLLS_MS = 500;
const LAST_ROLLS_MS = 100;

/** Who asks for a list that was closed gets it within this time, or not at all: a million ids take 15 s. */
const WANTED_MS = 30_000;

/** Ids that are digested in one part: 2 ms, on a busy host 4. */
const DIGEST_STEPS = 1_250;

export interface DrawsParts {
  readonly self: NodeId;
  readonly locality: string;
  readonly meshId: string;
  readonly incarnation: number;
  readonly notary: Notary;
  readonly members: DrawMembers & {
    /** The other nodes that need the rolls: voters, and those of this locality. */
    readonly rollKeepers: readonly NodeId[];
    /** The other members. */
    readonly others: readonly NodeId[];
  };
  readonly newSecret: () => string;
  readonly outbox: Outgoing<DrawMessage>;
  readonly restored: ReadonlyMap<string, unknown>;
}

export interface KnownDraw {
  readonly draw: Draw;
  readonly rolls: Rolls;
  /** Those who were drawn, once it is decided. */
  readonly list: ClosedList;
}

interface Running extends KnownDraw {
  digest: RollDigest | undefined;
  /** Until when somebody waits for the list that was closed. */
  wantedMs: number;
  /** By node: the newest version of each node's state that it was sent. */
  readonly sent: Map<NodeId, Map<NodeId, number>>;
  saidMs: number;
  rolledMs: number;
}

export class Draws implements RoomDraws {
  version = 0;
  /** The rooms' time, as of the last tick. */
  #roomMs = 0;
  #steadyMs = 0;
  readonly #parts: DrawsParts;
  readonly #running = new Map<string, Running>();
  /** By room, as statements name it: the key of its draw. */
  readonly #followed = new Map<string, string>();

  constructor(parts: DrawsParts) {
    this.#parts = parts;
    for (const { value } of DRAW.all(parts.restored)) this.#start(value.plan, value);
  }

  /** All that this node knows. */
  get all(): readonly KnownDraw[] {
    return [...this.#running.values()];
  }

  /** Whether something is to be computed that takes longer than a step. */
  get isBusy(): boolean {
    return this.#running
      .values()
      .some(({ digest, list, rolls }) => digest !== undefined || list.isBusy || rolls.isBusy);
  }

  /**
   * Has the list of a decided draw fetched, if it is not here. Call it again and again until it is, or nobody has it.
   */
  fetch({ draw }: KnownDraw): "here" | "nowhere" | "on its way" {
    const running = this.#running.get(draw.key);
    if (running === undefined || draw.outcome === undefined) return "nowhere";
    const { list } = running;
    if (list.has(draw.outcome.list)) return "here";
    if (list.isNowhere(this.#holders(draw), this.#steadyMs)) return "nowhere";
    running.wantedMs = this.#steadyMs + WANTED_MS;
    return "on its way";
  }

  follow(plan: DrawPlan): DrawNow {
    const key = drawKeyOf(termsOf(plan, this.#parts.meshId));
    const before = this.#running.get(this.#followed.get(plan.room) ?? "");
    this.#followed.set(plan.room, key);
    const known = this.#running.get(key);
    const { draw, rolls } = known ?? this.#start(plan);
    // Visitors of an event that is moved may not ask again before its new start.
    const isMoved = known === undefined && before !== undefined && this.#roomMs < before.draw.plan.endMs;
    if (isMoved) rolls.takeOver(before.rolls, plan.startMs * KEYS_PER_MS);
    this.#dropOldest();
    draw.replan(plan);
    return { key, startMs: plan.startMs, seed: draw.seed };
  }

  leave(room: string): void {
    this.#followed.delete(room);
  }

  /** Whether its room still has it: an event may have been changed or deleted since. */
  isHeld({ key, plan }: Draw): boolean {
    return this.#followed.get(plan.room) === key;
  }

  waitsFor(key: string): DrawWait | undefined {
    const draw = this.#running.get(key)?.draw;
    if (draw === undefined || draw.outcome !== undefined || this.#roomMs < draw.plan.startMs) return undefined;
    return draw.isWaitingForValue(this.#roomMs) ? "value" : "nodes";
  }

  shown(key: string): PublicDraw | undefined {
    const running = this.#running.get(key);
    if (running === undefined) return undefined;
    const { draw, rolls } = running;
    const { plan, commitments, closed, outcome, seed } = draw;
    const known = outcome === undefined || seed === undefined ? undefined : { ...outcome, seed };
    return { plan, commitments, closed, known: rolls.size, outcome: known };
  }

  note(draw: string, key: number, id: string): void {
    const running = this.#running.get(draw);
    running?.rolls.note(this.#parts.locality, key, drawIdOf(id));
  }

  entries(draw: string): Iterable<Entry> {
    return this.#running.get(draw)?.rolls.entries(this.#parts.locality) ?? [];
  }

  hear(from: NodeId, message: DrawMessage, now: DrawTime): void {
    if (message.kind !== "draws") {
      const running = this.#running.get(message.draw);
      if (message.kind === "roll" || message.kind === "roll-sums") running?.rolls.hear(from, message);
      // Before the outcome is known here, the list may grow.
      else if (running?.draw.outcome !== undefined) running.list.hear(from, message, now.steadyMs);
      return;
    }
    for (const running of this.#running.values()) {
      const { draw } = running;
      const isNews = message.states.filter((text) => text.includes(draw.key) && draw.hear(text)).length > 0;
      if (isNews) this.#step(running, now);
    }
  }

  /** Call it ten times a second. */
  tick(now: DrawTime): void {
    this.#roomMs = now.roomMs;
    this.#steadyMs = now.steadyMs;
    for (const running of this.#running.values()) {
      this.#step(running, now);
      const { draw, rolls } = running;
      const { startMs, endMs } = draw.plan;
      const isOver = now.roomMs >= startMs;
      if (now.steadyMs - running.rolledMs >= (isOver ? LAST_ROLLS_MS : ROLLS_MS) && draw.outcome === undefined) {
        running.rolledMs = now.steadyMs;
        rolls.tick(this.#parts.members.rollKeepers, { ...now, isOver });
      }
      this.#keepList(running, now);
      const everyMs = isOver && draw.outcome === undefined ? SAY_MS : SAY_AGAIN_MS;
      if (now.steadyMs - running.saidMs < everyMs || now.roomMs >= endMs) continue;
      running.saidMs = now.steadyMs;
      running.sent.clear();
      this.#say(running);
    }
  }

  /** Computes on, while a list is to be closed. Call it often. */
  work(now: DrawTime): void {
    for (const running of this.#running.values()) {
      if (running.digest !== undefined) this.#step(running, now);
      running.list.work(DIGEST_STEPS);
      running.rolls.work(DIGEST_STEPS);
    }
  }

  #start(plan: DrawPlan, stored?: StoredDraw): Running {
    const { meshId: mesh, outbox, restored } = this.#parts;
    const key = drawKeyOf(termsOf(plan, mesh));
    const rolls = new Rolls({ draw: key, line: this.#parts.locality, outbox, restored });
    const running: Running = {
      rolls,
      list: new ClosedList({ draw: key, rolls, outbox, restored }),
      draw: new Draw(
        plan,
        {
          ...{ ...this.#parts, mesh },
          store: (value) => outbox.putVote(DRAW.at(key), value),
          list: () => this.#listOf(running),
        },
        stored,
      ),
      ...{ digest: undefined, sent: new Map() },
      ...{ saidMs: Number.NEGATIVE_INFINITY, rolledMs: Number.NEGATIVE_INFINITY, wantedMs: Number.NEGATIVE_INFINITY },
    };
    // What was closed before a restart stays closed.
    if (stored?.state.closed !== undefined || stored?.state.decided !== undefined) rolls.close();
    this.#running.set(key, running);
    return running;
  }

  #dropOldest(): void {
    if (this.#running.size <= DRAWS_MAX) return;
    const left = [...this.#running].filter(([, { draw }]) => !this.isHeld(draw));
    const { decided = [], cancelled = [] } = Object.groupBy(left, ([, { draw }]) =>
      draw.outcome === undefined ? "cancelled" : "decided",
    );
    const byStart = (decided.length > 0 ? decided : cancelled).sort(
      ([, one], [, other]) => one.draw.plan.startMs - other.draw.plan.startMs,
    );
    const [oldest] = byStart;
    if (oldest === undefined) return;
    const [key, { rolls, list }] = oldest;
    this.#running.delete(key);
    rolls.drop();
    list.drop();
    this.#parts.outbox.put(DRAW.at(key), undefined);
  }

  #step(running: Running, now: DrawTime): void {
    const { draw, rolls } = running;
    const seed = draw.seed;
    draw.tick(now, this.isHeld(draw));
    if (draw.seed !== seed) this.version += 1;
    // A list that another node has closed is followed by secrets: nobody is added to a list after that.
    if (draw.outcome !== undefined || draw.closed.length > 0) rolls.close();
    this.#say(running);
  }

  /**
   * Voters have the list that was closed as long as the event lasts; other nodes fetch it when they are asked for it.
   */
  #keepList({ draw, list, wantedMs }: Running, { roomMs, steadyMs }: DrawTime): void {
    const { outcome, plan } = draw;
    const { self, members } = this.#parts;
    const isKeeper = roomMs < plan.endMs && members.voters.includes(self);
    const isLacking = outcome !== undefined && !list.has(outcome.list);
    if (isLacking && (isKeeper || steadyMs < wantedMs)) list.want(outcome.list, this.#holders(draw), steadyMs);
    else list.rest(steadyMs);
  }

  /** Nodes that answer and may have the list: first those that closed it, then voters. */
  #holders({ closed, outcome }: Draw): readonly NodeId[] {
    const { self, members } = this.#parts;
    const closers = closed.flatMap(({ node, digest }) => (digest === outcome?.list.digest ? node : []));
    const all = new Set([...closers, ...members.voters, ...members.others]);
    return [...all].filter((node) => node !== self && members.isMember(node) && members.isAnswering(node));
  }

  /** The list of those who are drawn; undefined until it is computed. */
  #listOf(running: Running) {
    if (running.rolls.isBusy) return undefined;
    running.rolls.close();
    running.digest ??= new RollDigest(running.rolls.ids());
    const list = running.digest.work(DIGEST_STEPS);
    if (list !== undefined) running.digest = undefined;
    return list;
  }

  /** Tells every other member what it has not been told. Voters tell all; others tell the voters. */
  #say({ draw, sent }: Running): void {
    const { self, members } = this.#parts;
    const { states } = draw;
    if (states.size === 0) return;
    const { voters } = members;
    const to = voters.includes(self) ? members.others : voters.filter((node) => node !== self);
    for (const node of to) {
      const told = sent.get(node) ?? new Map<NodeId, number>();
      sent.set(node, told);
      const news: string[] = [];
      for (const [about, { version, text }] of states) {
        if (about === node || told.get(about) === version) continue;
        told.set(about, version);
        news.push(text);
      }
      if (news.length > 0) this.#parts.outbox.send(node, { kind: "draws", states: news });
    }
  }
}
