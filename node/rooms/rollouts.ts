/**
 * Rollouts of this node's rooms: an operator starts, stops and reverses them; the first node that sees that it is time
 * reverses or completes them.
 *
 * Each step is a change of the room's document, so it is the same on all nodes within a second or two. What cannot work
 * is refused before anything changes: an address that does not answer, a second rollout beside the first, an invalid
 * URL.
 */

import { originKey } from "../config/origin-fields.ts";
import type { Problem } from "../config/problem.ts";
import type { OriginShare, Room } from "../config/room.ts";
import { originComplaint } from "../config/text-checks.ts";
import type { Log } from "../log.ts";
import { endedRollout, rolloutText, startedRollout } from "../origin/rollout.ts";
import { sharesOf } from "../origin/room-origin.ts";
import { LEADS_HERE } from "../outside.ts";
import { type Author, reachesNode } from "./author.ts";
import type { Changed, Refusal } from "./changed.ts";
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
  readonly #logged = new WeakMap<LiveRoom, Logged>();

  constructor(options: RolloutsOptions) {
    this.#options = options;
  }

  /** Starts one, or continues a stopped one to the same origin. */
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
    const { clock, minuteMs } = this.#options;
    const stopped = again.value.live.room.rollout;
    const percent = stopped?.state === "stopped" ? stopped.percent : 0;
    return this.#put(again.value.live, { rollout: startedRollout(url, { nowMs: clock(), minuteMs }, percent) }, author);
  }

  /** Keeps the current share of new sessions. */
  stop(name: string): Changed<LiveRoom> {
    return this.#end(name, { state: "stopped", reason: "an operator stopped it" });
  }

  /** Sends new sessions to the old origin again. */
  back(name: string): Changed<LiveRoom> {
    return this.#end(name, { state: "reversed", reason: "an operator took it back" });
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
        const percent = live.origin.percent(nowMs);
        this.#put(live, { rollout: endedRollout(rollout, { state: "reversed", reason }, percent) });
      } else if (
        rollout?.state === "running" &&
        live.origin.percent(nowMs - Math.max(0, this.#options.rank()) * TURN_MS) >= 100
      ) {
        this.#put(live, { rollout: undefined, origin: completed(live.room, rollout.to) });
      }
      this.#tell(live);
    }
  }

  #startable(name: string, to: unknown, author: Author | undefined): Changed<{ live: LiveRoom; url: string }> {
    const named = this.#options.rooms.named(name);
    if (!named.ok) return named;
    const live = named.value;
    if (typeof to !== "string") {
      return invalid({ path: "to", problem: "is missing", repair: "name the new origin's base URL: --to http://…" });
    }
    const complaint = originComplaint(to) ?? (author !== undefined && reachesNode(to) ? LEADS_HERE : undefined);
    if (complaint !== undefined) return invalid({ path: "to", value: JSON.stringify(to), ...complaint });
    const { rollout, origin } = live.room;
    const isResumed = rollout?.state === "stopped" && originKey(rollout.to) === originKey(to);
    if (rollout !== undefined && rollout.state !== "reversed" && !isResumed) {
      const percent = live.origin.percent(this.#options.clock()).toFixed(1);
      return refused(
        `Cannot start a rollout in room ${name} as one to ${rollout.to} is at ${percent} %: ` +
          `wait for its end, or take it back first with: anteroom room rollout ${name} --back`,
      );
    }
    if (origin === undefined) {
      return invalid({
        path: "origin",
        problem: "is not set in this room: each node has its own --origin, so there is no old origin common to all",
        repair: `name it first: anteroom room update ${name} origin=http://…`,
      });
    }
    const shares = sharesOf(origin);
    const same = shares.find(({ url }) => originKey(url) === originKey(to));
    if (same !== undefined && same.weight > 0) {
      return invalid({
        path: "to",
        value: JSON.stringify(to),
        problem: "is an origin of this room already, with a weight",
        repair: "name another, or change weights with: anteroom room update NAME origin='[{url: …, weight: …}]'",
      });
    }
    return { ok: true, value: { live, url: same?.url ?? (isResumed ? rollout.to : to) } };
  }

  #end(name: string, end: { state: "stopped" | "reversed"; reason: string }): Changed<LiveRoom> {
    const named = this.#options.rooms.named(name);
    if (!named.ok) return named;
    const live = named.value;
    const { rollout } = live.room;
    if (rollout === undefined || rollout.state === "reversed" || rollout.state === end.state) {
      const now = rollout === undefined ? "there is none" : rolloutText(rollout, this.#now());
      return refused(
        `Cannot ${end.state === "stopped" ? "stop" : "take back"} a rollout in room ${name} as ${now}: ` +
          `start one with: anteroom room rollout ${name} --to URL`,
      );
    }
    return this.#put(live, { rollout: endedRollout(rollout, end, live.origin.percent(this.#options.clock())) });
  }

  #put(live: LiveRoom, change: Partial<Pick<Room, "origin" | "rollout">>, author?: Author): Changed<LiveRoom> {
    const changed = this.#options.rooms.replace(live, { ...live.declared, ...change }, { author });
    if (!changed.ok) this.#options.log.error({ room: live.room.name, ...changed.refusal }, "rollout not changed");
    this.#tell(live);
    return changed;
  }

  /** Once per change, from any node. */
  #tell(live: LiveRoom): void {
    const { rollout, name, origin } = live.room;
    const logged = this.#logged.get(live);
    if (logged?.to === rollout?.to && logged?.state === rollout?.state && logged?.startedMs === rollout?.startedMs)
      return;
    this.#logged.set(live, { to: rollout?.to, state: rollout?.state, startedMs: rollout?.startedMs });
    const { log } = this.#options;
    if (rollout !== undefined) {
      log[rollout.state === "running" ? "info" : "warn"]({ room: name }, rolloutText(rollout, this.#now()));
    } else if (logged?.to !== undefined) {
      const isThrough = sharesOf(origin ?? []).some(({ url, weight }) => url === logged.to && weight > 0);
      log.info(
        { room: name },
        `the rollout to ${logged.to} is ${isThrough ? "complete: all new sessions go there" : "over"}`,
      );
    }
  }

  #now(): { nowMs: number; minuteMs: number } {
    return { nowMs: this.#options.clock(), minuteMs: this.#options.minuteMs };
  }
}

interface Logged {
  readonly to: string | undefined;
  readonly state: string | undefined;
  readonly startedMs: number | undefined;
}

/** All new sessions go to `to`; those of the old origins stay there until they end. */
function completed({ origin }: Room, to: string): readonly OriginShare[] {
  const old = sharesOf(origin ?? []).filter(({ url, weight }) => url !== to && weight > 0);
  return [{ url: to, weight: 1 }, ...old.slice(0, OLD_MAX).map(({ url }) => ({ url, weight: 0 }))];
}

/** With the new one as many as a room may have. */
const OLD_MAX = 31;

function invalid<Value>(problem: Problem): Changed<Value> {
  return { ok: false, refusal: { code: "invalid", message: "Cannot roll out", problems: [problem] } };
}

function refused<Value>(message: string): Changed<Value> {
  const refusal: Refusal = { code: "conflict", message, problems: [] };
  return { ok: false, refusal };
}
