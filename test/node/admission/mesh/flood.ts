/**
 * Visitors who come to a room over nodes at a steady rate, each to the gate of one node, and poll when asked to, as the
 * page does.
 */

import { Overtakes } from "../../../../cmd/crowd/overtakes.ts";
import { seededRandom } from "../../../../cmd/crowd/random.ts";
import type { MeshDecision } from "../../../../node/admission/mesh/entrance.ts";
import { pollPauseMs } from "../../../../node/admission/poll-pause.ts";
import type { Room } from "../../../../node/config/room.ts";
import { MINUTE_MS, RoomsWorld } from "./rooms-world.ts";

interface Person {
  readonly id: string;
  readonly at: number;
  readonly locality: string;
  readonly arrivedMs: number;
}

/** What a flood may do otherwise. */
interface FloodOptions {
  /** Nodes whose gates visitors meet, the first of all; all unless given. */
  readonly gates?: number;
  /** Seconds between polls; as the answers say unless given. */
  readonly pollSeconds?: number;
  /** Every how manyth visitor never asks again. */
  readonly leavesEach?: number;
}

/** Admitted visitors are counted by second, and so are overtaken ones. */
export class Flood {
  readonly world: RoomsWorld;
  readonly bySecond: number[] = [];
  readonly overtakes = new Overtakes<Person>();
  readonly #random = seededRandom(1);
  readonly #startMs: number;
  #count = 0;

  readonly #options: FloodOptions;

  constructor(localities: readonly string[], change: Partial<Room>, options: FloodOptions = {}) {
    this.#options = options;
    this.world = new RoomsWorld(localities, change);
    this.world.pass(3_000);
    this.#startMs = this.world.nowMs;
  }

  run(seconds: number, perSecond: number): void {
    for (let step = 0; step < seconds * 10; step++) {
      for (let count = 0; count < perSecond / 10; count++) this.#arrive();
      this.world.pass(100);
    }
  }

  /** Admissions of each minute of the run. */
  byMinute(): number[] {
    const counts: number[] = [];
    for (const [second, count] of this.bySecond.entries()) {
      const minute = Math.floor((this.#startMs + second * 1_000) / MINUTE_MS) - Math.floor(this.#startMs / MINUTE_MS);
      counts[minute] = (counts[minute] ?? 0) + (count ?? 0);
    }
    return counts;
  }

  #arrive(): void {
    const { nowMs, nodes } = this.world;
    const at = this.#count++ % (this.#options.gates ?? nodes.length);
    const { locality } = this.world.node(at);
    const asked = { askedMs: nowMs, intervalMs: 0 };
    this.world.arrive(at, (id, decision) => this.#decided({ id, at, locality, arrivedMs: nowMs }, decision, asked));
  }

  #decided(person: Person, decision: MeshDecision, asked: { askedMs: number; intervalMs: number }): void {
    const { nowMs } = this.world;
    if (decision.kind === "admitted") {
      const second = Math.floor((nowMs - this.#startMs) / 1_000);
      this.bySecond[second] = (this.bySecond[second] ?? 0) + 1;
      this.overtakes.letIn(person, { ...person, line: person.locality, nowMs });
    } else if (decision.kind === "waiting") {
      const { place } = decision;
      const { key } = place;
      this.overtakes.waits(person, { ...asked, key, line: person.locality, nowMs });
      const { refreshIntervalSeconds: refreshSeconds } = this.world.room;
      const intervalMs = pollPauseMs(place, { refreshSeconds, nowMs, minuteMs: MINUTE_MS });
      const jitter = intervalMs % 1_000 === 0 ? this.#random() / 10 : 0;
      this.world.time.after(intervalMs * (1 + jitter), () => {
        const now = { askedMs: this.world.nowMs, intervalMs };
        this.world.poll(person.at, person.id, key, (next) => this.#decided(person, next, now));
      });
    }
  }
}
