/**
 * Boards of several nodes over registers that spread late, are cut off, and forget nothing: as in a mesh, without one.
 */

import type { NodeId, RoomId } from "../../../../mesh/core/ids.ts";
import { compareStamps } from "../../../../mesh/core/replica/hybrid-clock.ts";
import { isRoomKey, orderKey, type RegisterKey } from "../../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../../mesh/core/replica/registers.ts";
import type { Notice } from "../../../../node/operator/notices/notice.ts";
import { NoticeBoard } from "../../../../node/operator/notices/notice-board.ts";
import type { NodeStatus, RoomStatus } from "../../../../node/operator/status/status.ts";
import type { RoomRegisters } from "../../../../node/rooms/room-registers.ts";

export const MESH = "mesh-1";
export const MINUTE_MS = 60_000;

/** What is true of a room, for all nodes. */
export interface RoomTruth {
  readonly waiting?: number;
  readonly state?: RoomStatus["state"];
  readonly order?: "hold" | "open";
  readonly event?: { readonly name: string; readonly phase: "prequeue" | "active" };
  /** An event to come, by the moment at which it begins. */
  readonly coming?: { readonly name: string; readonly begins: string };
  readonly down?: readonly string[];
  readonly targets?: readonly string[];
  readonly idle?: number;
  readonly pace?: boolean;
}

export class NoticeMesh {
  nowMs = Date.parse("2026-11-22T12:00:00Z");
  readonly nodes: MeshNode[];
  readonly truth = new Map<RoomId, RoomTruth>();
  /** Nodes that run. */
  readonly up = new Set<NodeId>();
  /** Nodes that are members no more, and how they went. */
  readonly former = new Map<NodeId, "left" | "removed">();
  /** Pairs that do not hear each other. */
  isCut: (one: NodeId, other: NodeId) => boolean = () => false;

  #orders = 0;

  constructor(count: number) {
    const ids = Array.from({ length: count }, (_, at) => `node${at + 1}` as NodeId);
    for (const id of ids) this.up.add(id);
    this.nodes = ids.map((id) => new MeshNode(id, this));
  }

  node(at: number): MeshNode {
    const node = this.nodes[at];
    if (node === undefined) throw new RangeError(`no node ${at}`);
    return node;
  }

  /** Creates or changes a room at a node; undefined deletes it. */
  room(name: string, document: string | undefined, at = 0): void {
    const key = idOf(name);
    const { registers } = this.node(at);
    const createdMs = registers.get(key)?.createdMs ?? this.nowMs;
    registers.set(new Map([[key, { firstName: name, document, createdMs }]]));
    if (document === undefined) this.truth.delete(key);
    else if (!this.truth.has(key)) this.truth.set(key, {});
  }

  is(name: string, truth: RoomTruth): void {
    const key = idOf(name);
    if (truth.order !== this.truth.get(key)?.order) {
      this.#orders += 1;
      const stamp = { wallMs: this.nowMs, counter: this.#orders, node: "node1" as NodeId };
      const register = { firstName: "", document: truth.order, createdMs: this.nowMs, stamp };
      for (const { store } of this.nodes) store.set(orderKey(key), register);
    }
    this.truth.set(key, truth);
  }

  hears(one: NodeId, other: NodeId): boolean {
    return this.up.has(one) && this.up.has(other) && !this.isCut(one, other);
  }

  /** Lets seconds pass: each node looks, then registers spread. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.nowMs += 1_000;
      for (const node of this.nodes) if (this.up.has(node.id)) node.look();
      this.spread();
    }
  }

  spread(): void {
    for (const from of this.nodes)
      for (const to of this.nodes)
        if (from !== to && this.hears(from.id, to.id)) for (const [key, register] of from.store) to.hear(key, register);
  }
}

/** No room's id contains a colon. */
function idOf(name: string): RoomId {
  return name.replace(":", "_") as RoomId;
}

export class MeshNode {
  readonly id: NodeId;
  readonly store = new Map<RegisterKey, Register>();
  readonly told: Notice[] = [];
  /** Of the last look. */
  news: readonly Notice[] = [];
  board: NoticeBoard;
  readonly #mesh: NoticeMesh;
  #counter = 0;

  constructor(id: NodeId, mesh: NoticeMesh) {
    this.id = id;
    this.#mesh = mesh;
    this.board = this.#newBoard();
  }

  /** A new process on the same disk. */
  restart(): void {
    this.told.length = 0;
    this.board = this.#newBoard();
  }

  readonly registers: RoomRegisters = {
    all: () => new Map([...this.store].flatMap(([key, register]) => (isRoomKey(key) ? [[key, register]] : []))),
    get: (key) => this.store.get(key),
    set: (values) => {
      const stamped = [...values].map(([key, value]) => {
        this.#counter += 1;
        const stamp = { wallMs: this.#mesh.nowMs, counter: this.#counter, node: this.id };
        return [key, { ...value, stamp }] as const;
      });
      for (const [key, register] of stamped) this.store.set(key, register);
      return new Map(stamped);
    },
  };

  hear(key: RegisterKey, register: Register): void {
    const known = this.store.get(key);
    if (known !== undefined && compareStamps(register.stamp, known.stamp) <= 0) return;
    this.store.set(key, register);
    this.#counter = Math.max(this.#counter, register.stamp.counter);
  }

  look(): void {
    this.news = this.board.look(this.status());
    this.told.push(...this.news);
  }

  status(): NodeStatus {
    const { nodes, nowMs, truth } = this.#mesh;
    const rooms = [...this.registers.all()].flatMap(([id, { document, firstName }]) =>
      document === undefined ? [] : [roomStatus(id, firstName, truth.get(id) ?? {})],
    );
    const present = nodes.filter(({ id }) => !this.#mesh.former.has(id));
    const members = present.map(({ id }) => ({
      ...{ node: id, locality: "default", self: id === this.id, voter: true },
      state: id === this.id || this.#mesh.hears(this.id, id) ? ("alive" as const) : ("unreachable" as const),
      ...{ round_trip_ms: null, clock_offset_ms: null, lease: null, lease_seconds_left: null },
    }));
    return {
      ...{ version: "0", node: this.id, locality: "default", mesh: MESH, uptime_seconds: 1, minute_ms: MINUTE_MS },
      ...{ now_ms: nowMs, warnings: [], lease: "held", clock: { offset_ms: null, holds_back: false } },
      view: { number: 1, members: nodes.length, voters: nodes.length },
      wire: { speaks: 1, newest: 1 },
      ...{ rooms, members },
    };
  }

  #newBoard(): NoticeBoard {
    return new NoticeBoard({
      mesh: MESH,
      node: this.id,
      registers: this.registers,
      knowsRegisters: () => true,
      formerOf: (id) => this.#mesh.former.get(id as NodeId) ?? "removed",
    });
  }
}

function roomStatus(id: RoomId, name: string, truth: RoomTruth): RoomStatus {
  const { waiting = 0, state = "free", order, event, coming, down = [], idle = 0, pace } = truth;
  return {
    ...{ id, name, state, inside: 1, inside_here: 1, total_active_users: 10, waiting, waiting_here: 0 },
    operator_order: order === undefined ? null : { order, since: "2026-11-22T12:00:00.000Z", node: "node1" },
    event: event === undefined ? null : { ...event, event_start_time: "", event_end_time: "" },
    next_event:
      coming === undefined
        ? null
        : { name: coming.name, prequeue_start_time: coming.begins, event_start_time: "", event_end_time: "" },
    ...{ admitted_this_minute: 0, admitted_here_this_minute: 0, new_users_per_minute: 10, wait_seconds: 0 },
    pace:
      pace === true ? { reason: "paced", words: "paced", per_minute: 1, held_back: null, ramp_started_ms: null } : null,
    ...{ localities: [], shares: [] },
    idle: { active_slots: idle, arrivals_slots: 0, part: idle / 10, until_ms: null },
    origin: {
      reachable: down.length === 0,
      targets: [...(truth.targets ?? []), ...down].map((url) => ({
        ...{ url, state: down.includes(url) ? ("down" as const) : ("up" as const), since_ms: 0, reason: "refused" },
        ...{ weight: 1, part: 1, sessions_here: 0, share_here: null, requests_here: 0, failures_here: 0 },
      })),
      rollout: null,
    },
  };
}

export function typesOf(notices: readonly Notice[]): string[] {
  return notices.map(({ type }) => type);
}
