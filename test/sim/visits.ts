/**
 * Visits to a simulated site: visitors come, send HTTP requests to gates as browsers do, keep the cookies that they
 * get, poll as asked, and leave.
 */

import type { OvertakeCounts } from "../../cmd/crowd/overtakes.ts";
import type { MeshRoom } from "../../node/admission/mesh/mesh-room.ts";
import { AskingVisitors } from "./asking.ts";
import type { Bearer } from "./bearer.ts";
import { Crowd } from "./crowd.ts";
import { gateFor } from "./load-balancer.ts";
import { RevokeWatch } from "./revoke-watch.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimRoom } from "./sim-room.ts";
import { type Behaviour, PATIENT, type Visitor } from "./visitor.ts";
import type { World } from "./world.ts";

/** Part of the requests with a cookie that are followed by one with a cookie that counts for nothing. */
const STRAYS = 0.02;

export interface Coming {
  readonly locality: string;
  readonly staysMs: number;
  readonly behaviour?: Behaviour;
  readonly bearer?: Bearer | undefined;
  /** The first one, if left out. */
  readonly room?: SimRoom;
}

export class Visits {
  readonly #world: World;
  readonly #crowd: Crowd;
  readonly #asking: AskingVisitors;
  readonly #revokes: RevokeWatch;
  #visitors = 0;
  #ids = 0;

  constructor(world: World) {
    this.#world = world;
    this.#crowd = new Crowd(world);
    this.#revokes = new RevokeWatch(world);
    this.#asking = new AskingVisitors(world, this.#crowd, {
      plan: (visitor) => this.#plan(visitor),
      enters: (visitor) => this.#enters(visitor),
    });
  }

  get all(): Set<Visitor> {
    return this.#crowd.all;
  }

  /** Every second or so: what is wrong with what visitors hear, or do not hear. */
  look(nowMs: number): string | undefined {
    this.#world.doors?.look();
    return this.#asking.unanswered.look(nowMs) ?? this.#crowd.decisions.look(nowMs) ?? this.#revokes.look(nowMs);
  }

  get overtakes(): OvertakeCounts {
    return this.#crowd.overtakes.counts;
  }

  /** An id that no visitor has had. */
  newId(): string {
    return `v${++this.#ids}`;
  }

  /** Listens to a room at a node. */
  listen(room: MeshRoom, node: SimNode): void {
    this.#crowd.decisions.listen(room, node);
    this.#revokes.listen(room, node);
  }

  /** A visitor comes, and continues by itself. */
  arrive({ room = this.#world.rooms[0] as SimRoom, ...coming }: Coming): void {
    this.#world.oracle.counts.arrived += 1;
    const fresh: Visitor = {
      behaviour: PATIENT,
      bearer: undefined,
      ...coming,
      isOutside: false,
      room: room.id,
      number: ++this.#visitors,
      arrivedMs: this.#world.time.nowMs,
      cookie: undefined,
      older: undefined,
      admittedMs: undefined,
      hasWaited: false,
      refusal: undefined,
      pollSeconds: room.settings.refreshIntervalSeconds,
      pollMs: undefined,
      lineAt: undefined,
      passes: false,
      jitter: 0,
      plans: 0,
      asksMs: 0,
    };
    this.all.add(fresh);
    this.#request(fresh);
  }

  /** Ends some sessions on the origin's command, in the answers to their visitors at a gate. */
  revoke({ id: room }: SimRoom, sessions: number, gate: SimNode): void {
    const { minute } = this.#world;
    const inside = [...this.all].flatMap((visitor) => {
      const { cookie } = visitor;
      return visitor.room === room && cookie?.kind === "inside" && cookie.lastGood >= minute ? visitor : [];
    });
    for (const visitor of inside.slice(0, sessions)) this.#asking.ask(visitor, gate, true);
  }

  #request(visitor: Visitor): void {
    const { options, random } = this.#world;
    const { cookie, behaviour } = visitor;
    if (!this.all.has(visitor) || this.#isOver(visitor)) return;
    if (options.sprays === true || random() < behaviour.moves) {
      visitor.locality = this.#one(options.localities);
      this.#crowd.linesUp(visitor);
    }
    for (let request = 0; request < (cookie === undefined ? 1 : behaviour.parallel); request++) {
      const gate = gateFor(this.#world, visitor);
      if (gate !== undefined) this.#asking.ask(visitor, gate);
    }
    if (visitor.cookie !== undefined && this.#world.rooms.length > 1 && random() < STRAYS) this.#stray(visitor);
    visitor.jitter = random();
    this.#plan(visitor);
  }

  /** Whether a visitor has seen all that it came for, or gives up; it is gone then. */
  #isOver(visitor: Visitor): boolean {
    const { options, time } = this.#world;
    const { cookie, behaviour, admittedMs } = visitor;
    const { nowMs } = time;
    const isInside = cookie?.kind === "inside" || admittedMs !== undefined;
    const isOver = isInside
      ? nowMs - (admittedMs ?? nowMs) >= visitor.staysMs
      : nowMs - visitor.arrivedMs > behaviour.patienceMinutes * options.minuteMs;
    if (!isOver) return false;
    this.#crowd.goes(visitor);
    return true;
  }

  /** Shows its cookie to a room that it is not for, or a forged one to its own. */
  #stray(visitor: Visitor): void {
    const { cookie } = visitor;
    const gate = gateFor(this.#world, visitor);
    const room = this.#one(this.#world.rooms.filter(({ id }) => gate?.rooms.has(id)));
    if (gate === undefined || room === undefined || cookie === undefined) return;
    this.#asking.stray(visitor, { cookie, gate, room });
  }

  /** Makes a visitor poll: as the last answer said, or the next one will. */
  #plan(visitor: Visitor): void {
    const { options, time } = this.#world;
    const { behaviour, jitter } = visitor;
    if (behaviour.pollPart === Number.POSITIVE_INFINITY) {
      if (visitor.cookie !== undefined) this.#crowd.goes(visitor);
      return;
    }
    const [least, most] = behaviour.browses;
    const spread = visitor.pollMs === undefined ? 0.8 + 0.4 * jitter : 1;
    const pollMs = (visitor.pollMs ?? visitor.pollSeconds * 1_000) * behaviour.pollPart * spread;
    const pauseMs = visitor.cookie?.kind === "inside" ? options.minuteMs * (least + (most - least) * jitter) : pollMs;
    const plan = ++visitor.plans;
    visitor.asksMs = time.nowMs + pauseMs;
    time.after(pauseMs, () => plan === visitor.plans && this.#request(visitor));
  }

  /** A visitor who was let in browses: what was planned as the next poll would be too late for one who stays. */
  #enters(visitor: Visitor): void {
    const { options, time } = this.#world;
    if (visitor.asksMs - time.nowMs > options.minuteMs) this.#plan(visitor);
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#world.random() * items.length)] as Item;
  }
}
