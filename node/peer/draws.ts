/**
 * Who is drawn: the lists of the draws of this node's rooms.
 *
 * A room names its draw when the pre-queue begins (`follow`), and this node collects the ids of those who join, with the
 * other nodes that need them (rolls.ts). Voters have all ids; the other nodes have those of their locality, for the
 * order of its line. Some seconds after the start each voter closes its list by itself: nobody is added to it after
 * that. The order of a draw does not depend on the list: that is for those who check it.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Outgoing } from "../../mesh/core/wire/outbox.ts";
import type { DrawList } from "../admission/draw/draw-document.ts";
import { drawIdOf } from "../admission/draw/draw-seed.ts";
import type { Entry } from "../admission/draw/roll.ts";
import type { DrawPlan, RoomDraws } from "../admission/draw/room-draws.ts";
import { KEYS_PER_MS } from "../admission/queue-order.ts";
import { CLOSED_LIST, type DrawMessage } from "./draw-messages.ts";
import { RollDigest } from "./roll-digest.ts";
import { dropStaleRolls, Rolls } from "./rolls.ts";

/** Visitors who joined at the last moment are on their way to the voters for so long; the value is given after that. */
export const CLOSE_MS = 5_000;

/** A voter that was not one before the start has all ids after this time: of a million, 50,000 come every 2 s. */
export const LATE_CLOSE_MS = 60_000;

/** Rolls are put on the disk, and told to others, so often: until the start, and then until the list is closed. */
const ROLLS_MS = 500;
const LAST_ROLLS_MS = 100;

/** Between two comparisons with the others: before the start, until the list is closed, and after that. */
const COMPARE_MS = 2_000;
const LAST_COMPARE_MS = 500;
const LATER_COMPARE_MS = 10_000;

/** By then the rooms have named their draws: rolls of others on the disk are of draws that are gone. */
const STALE_MS = 60_000;

/** Ids that are digested in one part: 2 ms, on a busy host 4. */
const DIGEST_STEPS = 1_250;

export interface DrawTime {
  readonly roomMs: number;
  readonly steadyMs: number;
}

export interface DrawsParts {
  /** This node's locality. */
  readonly locality: string;
  readonly members: {
    /** Whether this node votes. */
    readonly isVoter: boolean;
    /** The other nodes that need the rolls: voters, and those of this locality. */
    readonly rollKeepers: readonly NodeId[];
  };
  readonly outbox: Outgoing<DrawMessage>;
  readonly restored: ReadonlyMap<string, unknown>;
}

interface Running {
  plan: DrawPlan;
  readonly rolls: Rolls;
  digest: RollDigest | undefined;
  list: DrawList | undefined;
  /** Since when this node is a voter. */
  voterSince: DrawTime | undefined;
  rolledMs: number;
}

export class Draws implements RoomDraws {
  readonly #parts: DrawsParts;
  readonly #running = new Map<string, Running>();
  /** By room: the key of its draw. */
  readonly #followed = new Map<string, string>();
  /** The rooms' time, as of the last tick. */
  #roomMs = 0;
  #firstMs: number | undefined;
  #isSwept = false;

  constructor(parts: DrawsParts) {
    this.#parts = parts;
  }

  /** Whether something is to be computed that takes longer than a step. */
  get isBusy(): boolean {
    return this.#running.values().some(({ digest, rolls }) => digest !== undefined || rolls.isBusy);
  }

  follow(plan: DrawPlan): void {
    const known = this.#running.get(plan.key);
    if (known !== undefined) {
      known.plan = plan;
      return;
    }
    const before = this.#running.get(this.#followed.get(plan.room) ?? "");
    const { rolls } = this.#start(plan);
    // Visitors of an event that is moved may not ask again before its new start.
    if (before !== undefined && this.#roomMs < before.plan.endMs)
      rolls.takeOver(before.rolls, plan.startMs * KEYS_PER_MS);
    this.leave(plan.room);
    this.#followed.set(plan.room, plan.key);
  }

  leave(room: string): void {
    const key = this.#followed.get(room) ?? "";
    this.#running.get(key)?.rolls.drop();
    if (this.#running.delete(key)) this.#parts.outbox.put(CLOSED_LIST.at(key), undefined);
    this.#followed.delete(room);
  }

  countOf(draw: string): number {
    const { list, rolls } = this.#running.get(draw) ?? {};
    return list?.count ?? rolls?.size ?? 0;
  }

  listOf(draw: string): DrawList | undefined {
    return this.#running.get(draw)?.list;
  }

  /** The ids on the list. */
  idsOf(draw: string): Iterable<number> {
    return this.#running.get(draw)?.rolls.ids() ?? [].values();
  }

  note(draw: string, key: number, id: string): void {
    this.#running.get(draw)?.rolls.note(this.#parts.locality, key, drawIdOf(id));
  }

  entries(draw: string): Iterable<Entry> {
    return this.#running.get(draw)?.rolls.entries(this.#parts.locality) ?? [];
  }

  hear(from: NodeId, message: DrawMessage): void {
    this.#running.get(message.draw)?.rolls.hear(from, message);
  }

  /** Call it ten times a second. */
  tick(now: DrawTime): void {
    this.#roomMs = now.roomMs;
    this.#firstMs ??= now.steadyMs;
    if (!this.#isSwept && now.steadyMs - this.#firstMs >= STALE_MS) this.#sweep();
    for (const running of this.#running.values()) this.#turn(running, now);
  }

  /** Computes on, while a list is to be closed. Call it often. */
  work(): void {
    for (const running of this.#running.values()) {
      this.#digest(running);
      running.rolls.work(DIGEST_STEPS);
    }
  }

  #start(plan: DrawPlan): Running {
    const { key: draw } = plan;
    const { locality: line, outbox, restored } = this.#parts;
    const rolls = new Rolls({ draw, line, outbox, restored });
    const list = CLOSED_LIST.read(restored, draw);
    const running: Running = {
      plan,
      rolls,
      list,
      digest: undefined,
      voterSince: undefined,
      rolledMs: Number.NEGATIVE_INFINITY,
    };
    // What was closed before a restart stays closed.
    if (list !== undefined) rolls.close();
    this.#running.set(draw, running);
    return running;
  }

  #turn(running: Running, now: DrawTime): void {
    const { plan, rolls, list } = running;
    if (now.roomMs >= plan.endMs) return;
    const { isVoter, rollKeepers } = this.#parts.members;
    running.voterSince = isVoter ? (running.voterSince ?? now) : undefined;
    const isOver = now.roomMs >= plan.startMs;
    const isLast = isOver && now.roomMs < plan.startMs + CLOSE_MS;
    if (now.steadyMs - running.rolledMs >= (isLast ? LAST_ROLLS_MS : ROLLS_MS)) {
      running.rolledMs = now.steadyMs;
      const compareMs = isLast ? LAST_COMPARE_MS : isOver ? LATER_COMPARE_MS : COMPARE_MS;
      rolls.tick(rollKeepers, { ...now, isOver, compareMs });
    }
    if (list === undefined && running.digest === undefined && isDue(running, now)) {
      rolls.close();
      running.digest = new RollDigest(rolls.ids());
    }
    this.#digest(running);
  }

  #digest(running: Running): void {
    const { plan, digest } = running;
    const list = digest?.work(DIGEST_STEPS);
    if (list === undefined) return;
    running.digest = undefined;
    running.list = list;
    this.#parts.outbox.put(CLOSED_LIST.at(plan.key), list);
  }

  /** Takes what is left of draws that no room has any more off the disk. */
  #sweep(): void {
    this.#isSwept = true;
    const { outbox, restored } = this.#parts;
    dropStaleRolls(restored, outbox, (draw) => this.#running.has(draw));
    for (const { names } of CLOSED_LIST.all(restored)) {
      const [draw = ""] = names;
      if (!this.#running.has(draw)) outbox.put(CLOSED_LIST.at(draw), undefined);
    }
  }
}

/** Whether a voter may close its list: all who joined before the start are known. */
function isDue({ plan, rolls, voterSince }: Running, { roomMs, steadyMs }: DrawTime): boolean {
  if (voterSince === undefined || roomMs < plan.startMs + CLOSE_MS || rolls.isBusy) return false;
  return voterSince.roomMs < plan.startMs || steadyMs - voterSince.steadyMs >= LATE_CLOSE_MS;
}
