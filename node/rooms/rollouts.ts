/**
 * Rollouts of this node's rooms: a change of a room's origin starts one, and so does an operator's order; operators stop,
 * reverse and finish them; the first node that sees that it is time reverses or completes them.
 *
 * Each of these is a change of the room's document, so it is the same on all nodes within a second or two. An order that
 * cannot work is refused before anything changes: an address that does not answer, an invalid URL.
 */

import { originKey } from "../config/origin-fields.ts";
import type { Problem } from "../config/problem.ts";
import type { Rollout, Room } from "../config/room.ts";
import { originComplaint } from "../config/text-checks.ts";
import type { Log } from "../log.ts";
import { afterEnd, type RolloutEnd } from "../origin/rollout.ts";
import { sharesOf } from "../origin/room-origin.ts";
import { LEADS_HERE } from "../outside.ts";
import { type Author, reachesNode } from "./author.ts";
import { type Changed, type Refused, refused } from "./changed.ts";
import type { LiveRoom } from "./live-room.ts";
import { type Probe, questionFor } from "./origin-probe.ts";
import type { Rooms } from "./rooms.ts";

export interface RolloutsOptions {
  readonly rooms: Rooms;
  readonly probe: Probe;
  readonly clock: () => number;
  readonly minuteMs: number;
  /** This node's place among the members that are alive, from 0. */
  readonly rank: () => number;
  readonly log: Log;
}

/** Longest wait for the new origin's first answer; the operator waits for it. */
const DIAL_TIMEOUT_MS = 5_000;

/** How long each node waits for those before it to complete a rollout: all would write the same, and one is enough. */
const TURN_MS = 2_000;

export class Rollouts {
  readonly #options: RolloutsOptions;
  /** The logged state of each room's rollout. */
  readonly #logged = new WeakMap<LiveRoom, Rollout | undefined>();

  constructor(options: RolloutsOptions) {
    this.#options = options;
  }

  /** Starts one to another origin, or continues a stopped one to that. */
  async start(name: string, to: unknown, author?: Author): Promise<Changed<LiveRoom>> {
    const before = this.#startable(name, to, author);
    if (!before.ok) return before;
    const { url, live } = before.value;
    const isOutside = author !== undefined;
    const question = questionFor(live.room, url, { timeoutMs: DIAL_TIMEOUT_MS, isOutside });
    const problem = await this.#options.probe(question);
    if (problem !== undefined) {
      return invalid({
        path: "to",
        value: JSON.stringify(url),
        problem: `cannot be reached from this node: ${problem}`,
        repair: "start that origin, or correct the URL; nothing was changed",
      });
    }
    // Another order may have come in while the origin was probed.
    const again = this.#startable(name, to, author);
    if (!again.ok) return again;
    const { room } = again.value.live;
    if (again.value.stopped !== undefined) {
      const resumed = {
        ...again.value.stopped,
        state: "running",
        startedMs: this.#options.clock(),
        reason: "",
      } as const;
      return this.#put(again.value.live, { rollout: resumed });
    }
    // The sessions of the old origins stay there until they end.
    const old = sharesOf(room.origin ?? []).filter((share) => share.url !== url && share.weight > 0);
    const origin = [{ url, weight: 1 }, ...old.slice(0, OLD_MAX).map((share) => ({ url: share.url, weight: 0 }))];
    const changed = this.#options.rooms.update(name, { origin }, { author });
    if (changed.ok) this.#tell(changed.value);
    return changed;
  }

  /** Keeps the current share of new sessions. */
  stop(name: string): Changed<LiveRoom> {
    return this.#end(name, { state: "stopped", reason: "an operator stopped it" });
  }

  /** Makes the old weights those of the room again, at once. */
  back(name: string): Changed<LiveRoom> {
    return this.#end(name, { state: "reversed", reason: "an operator took it back" });
  }

  /** Makes all new sessions follow it at once. */
  finish(name: string): Changed<LiveRoom> {
    const running = this.#running(name, "finish");
    return running.ok ? this.#put(running.value.live, { rollout: undefined }) : running;
  }

  /**
   * Reverses rollouts that fail, completes those that are through, and logs what has changed; call it about once a
   * second.
   */
  tick(): void {
    const nowMs = this.#options.clock();
    for (const live of this.#options.rooms.all()) {
      const { rollout } = live.room;
      const reason = rollout === undefined ? undefined : live.origin.reasonToReverse(nowMs);
      if (rollout !== undefined && reason !== undefined) {
        this.#put(live, this.#ended(live, rollout, { state: "reversed", reason }));
      } else if (
        rollout?.state === "running" &&
        live.origin.percent(nowMs - Math.max(0, this.#options.rank()) * TURN_MS) >= 100
      ) {
        this.#put(live, { rollout: undefined });
      }
      this.#tell(live);
    }
  }

  #startable(name: string, to: unknown, author: Author | undefined): Changed<Startable> {
    const named = this.#options.rooms.named(name);
    if (!named.ok) return named;
    const live = named.value;
    if (typeof to !== "string") {
      return invalid({ path: "to", problem: "is missing", repair: "name the new origin's base URL: --to http://…" });
    }
    const complaint = originComplaint(to) ?? (author !== undefined && reachesNode(to) ? LEADS_HERE : undefined);
    if (complaint !== undefined) return invalid({ path: "to", value: JSON.stringify(to), ...complaint });
    const { rollout, origin } = live.room;
    if (origin === undefined) {
      return invalid({
        path: "origin",
        problem: "is not set in this room: each node has its own --origin, so there is no old origin common to all",
        repair: `name it first: anteroom room update ${name} origin=http://…`,
      });
    }
    const same = sharesOf(origin).find(({ url }) => originKey(url) === originKey(to));
    const stopped = rollout?.state === "stopped" ? rollout : undefined;
    if (same !== undefined && same.weight > 0 && stopped === undefined) {
      return invalid({
        path: "to",
        value: JSON.stringify(to),
        problem: "is an origin of this room already, with a weight",
        repair: "name another, or change weights with: anteroom room update NAME origin='[{url: …, weight: …}]'",
      });
    }
    const isResumed = same !== undefined && same.weight > 0;
    return { ok: true, value: { live, url: same?.url ?? to, stopped: isResumed ? stopped : undefined } };
  }

  #end(name: string, end: { state: "stopped" | "reversed"; reason: string }): Changed<LiveRoom> {
    const running = this.#running(name, end.state === "stopped" ? "stop" : "take back");
    if (!running.ok) return running;
    const { live, rollout } = running.value;
    if (end.state === "stopped" && rollout.state === "stopped") return { ok: true, value: live };
    return this.#put(live, this.#ended(live, rollout, end));
  }

  /** The room, and its rollout that is running or stopped. */
  #running(name: string, verb: string): Changed<{ live: LiveRoom; rollout: Rollout }> {
    const named = this.#options.rooms.named(name);
    if (!named.ok) return named;
    const { rollout } = named.value.room;
    if (rollout !== undefined && rollout.state !== "reversed")
      return { ok: true, value: { live: named.value, rollout } };
    const now = named.value.origin.words(this.#options.clock()) ?? "there is none";
    return refused(
      "conflict",
      `Cannot ${verb} a rollout in room ${name} as ${now}: start one with: anteroom room rollout ${name} --to URL`,
    );
  }

  #ended(live: LiveRoom, rollout: Rollout, end: Omit<RolloutEnd, "percent">) {
    const percent = live.origin.percent(this.#options.clock());
    return afterEnd(rollout, sharesOf(live.declared.origin ?? []), { ...end, percent });
  }

  #put(live: LiveRoom, change: Partial<Pick<Room, "origin" | "rollout">>): Changed<LiveRoom> {
    const changed = this.#options.rooms.replace(live, { ...live.declared, ...change });
    if (!changed.ok) this.#options.log.error({ room: live.room.name, ...changed.refusal }, "rollout not changed");
    this.#tell(live);
    return changed;
  }

  /** Once per change, from any node. */
  #tell(live: LiveRoom): void {
    const { rollout, name } = live.room;
    const logged = this.#logged.get(live);
    if (logged?.state === rollout?.state && logged?.startedMs === rollout?.startedMs) return;
    this.#logged.set(live, rollout);
    const words = live.origin.words(this.#options.clock()) ?? "the rollout is complete: all new sessions follow it";
    this.#options.log[rollout === undefined || rollout.state === "running" ? "info" : "warn"]({ room: name }, words);
  }
}

interface Startable {
  readonly live: LiveRoom;
  readonly url: string;
  /** The rollout that goes on. */
  readonly stopped: Rollout | undefined;
}

/** With the new one as many as a room may have. */
const OLD_MAX = 31;

function invalid(problem: Problem): Refused {
  return refused("invalid", "Cannot roll out", [problem]);
}
