/**
 * What `/metrics` shows, in the Prometheus text format (prom-client): read from the counters of gate and rooms on
 * request, so that the gate only adds to plain numbers.
 */

import { Counter, Gauge, Registry } from "prom-client";
import type { Gate } from "../gate/gate.ts";
import type { Pressure } from "../gate/pressure.ts";
import type { Target } from "../origin/target.ts";
import type { Peer } from "../peer/peer.ts";
import type { LiveRoom } from "../rooms/live-room.ts";
import { BAD_COOKIES, OUTCOMES, PASS_RESULTS, PROOFS } from "../rooms/room-counts.ts";
import { idleOf, idleStatus, sharesOf } from "./shares.ts";
import type { ShareStatus } from "./status.ts";

export interface MetricsOptions {
  readonly version: string;
  readonly gate: Gate;
  readonly rooms: () => readonly LiveRoom[];
  readonly peer: Peer;
  readonly clock: () => number;
  readonly connections: () => number;
  readonly memoryBytes: () => number;
  readonly pressure: Pressure;
}

/** Makes the function that renders all metrics. */
export function createMetrics(options: MetricsOptions): () => Promise<string> {
  const { gate, rooms, peer, clock } = options;
  const registers = [new Registry()] as const;

  function gauge(name: string, help: string, read: (live: LiveRoom) => number): void {
    new Gauge({
      name: `anteroom_${name}`,
      help,
      labelNames: ["room"],
      registers: [...registers],
      collect() {
        this.reset();
        for (const live of rooms()) this.set({ room: live.room.name }, read(live));
      },
    });
  }

  function targetGauge(name: string, help: string, read: (target: Target) => number): void {
    new Gauge({
      name: `anteroom_${name}`,
      help,
      labelNames: ["room", "origin"],
      registers: [...registers],
      collect() {
        this.reset();
        for (const { room, origin } of rooms())
          for (const target of origin.all) this.set({ room: room.name, origin: target.url }, read(target));
      },
    });
  }

  function counter<Label extends string>(
    name: string,
    labels: { help: string; names: readonly Label[] },
    read: (add: (values: Partial<Record<Label, string>>, count: number) => void) => void,
  ): void {
    new Counter({
      name: `anteroom_${name}`,
      help: labels.help,
      labelNames: [...labels.names],
      registers: [...registers],
      collect() {
        this.reset();
        read((values, count) => this.inc(values as Record<Label, string>, count));
      },
    });
  }

  /** For one scrape, by room: computed from the rows of all accounts, and used for several metrics. */
  const idleByRoom = new Map<LiveRoom, readonly ShareStatus[]>();

  /** For all lost nodes, as far as this node has heard. */
  function idleGauge(name: string, help: string, read: (idle: readonly ShareStatus[], live: LiveRoom) => number): void {
    gauge(name, help, (live) => {
      const { room, id, admission } = live;
      const purse = () => ({ room: id, minute: admission.minuteAt(clock()) });
      return read(
        idleByRoom.getOrInsertComputed(live, () => idleOf(sharesOf(room, peer, purse()))),
        live,
      );
    });
  }

  gauge("inside", "Slots held by sessions.", (live) => live.admission.inside(clock()));
  gauge("total_active_users", "Limit on slots held at once.", (live) => live.room.totalActiveUsers);
  new Gauge({
    name: "anteroom_operator_order_timestamp_seconds",
    help: "Since when an operator's hold or open applies, as Unix time; 0 without an order.",
    labelNames: ["room", "order"],
    registers: [...registers],
    collect() {
      this.reset();
      for (const { room, order: given } of rooms()) {
        for (const order of ["hold", "open"] as const)
          this.set({ room: room.name, order }, given?.kind === order ? given.sinceMs / 1_000 : 0);
      }
    },
  });
  gauge("waiting", "Visitors in line.", (live) => live.admission.waiting);
  gauge("admitted_this_minute", "Admissions in the current minute.", (live) =>
    live.admission.admittedInMinute(clock()),
  );
  gauge("new_users_per_minute", "Limit on admissions in a minute.", (live) => live.room.newUsersPerMinute);
  gauge("admission_rate_limit", "New users per minute that limit, ramp and origin allow the whole room.", (live) =>
    Math.min(live.room.newUsersPerMinute, live.meshRoom.pace.holding?.perMinute ?? Number.POSITIVE_INFINITY),
  );
  gauge(
    "held_back_share",
    "Part of new visitors held back as the origin fails, 0 to 1.",
    (live) => live.meshRoom.pace.holding?.share ?? 0,
  );
  idleGauge(
    "idle_slots",
    "Slots of the whole room that are idle because their node is lost or holds them; the same at each node.",
    (idle) => idle.reduce((sum, { active_slots }) => sum + active_slots, 0),
  );
  idleGauge(
    "idle_part",
    "Part of the room's slots that is idle, 0 to 1.",
    (idle, { room }) => idleStatus(idle, room).part,
  );
  idleGauge("idle_arrivals", "The same of admissions in a minute.", (idle) =>
    idle.reduce((sum, { arrivals_slots }) => sum + arrivals_slots, 0),
  );
  idleGauge(
    "idle_until_timestamp_seconds",
    "When the last idle slot is usable again, as Unix time; 0 if none is idle or no end is known.",
    (idle) => Math.max(0, ...idle.map(({ idle_until_ms }) => idle_until_ms ?? 0)) / 1_000,
  );
  counter("requests_total", { help: "Requests by outcome.", names: ["room", "outcome"] }, (add) => {
    for (const { room, counts } of rooms()) {
      for (const outcome of OUTCOMES) add({ room: room.name, outcome }, counts.requests[outcome]);
    }
  });
  counter("bad_cookies_total", { help: "Cookies that were not accepted.", names: ["room", "reason"] }, (add) => {
    for (const { room, counts } of rooms()) {
      for (const reason of BAD_COOKIES) add({ room: room.name, reason }, counts.badCookies[reason]);
    }
  });
  counter("passes_total", { help: "Passes by what became of them.", names: ["room", "result"] }, (add) => {
    for (const { room, counts } of rooms()) {
      for (const result of PASS_RESULTS) add({ room: room.name, result }, counts.passes[result]);
    }
  });
  counter("proofs_total", { help: "Proofs of work by what came of them.", names: ["room", "result"] }, (add) => {
    for (const { room, counts } of rooms()) {
      for (const result of PROOFS) add({ room: room.name, result }, counts.proofs[result]);
    }
  });
  counter("sessions_ended_total", { help: "Sessions whose slot came free.", names: ["room"] }, (add) => {
    for (const { room, admission } of rooms()) add({ room: room.name }, admission.released);
  });
  counter("sessions_revoked_total", { help: "Sessions that the origin ended.", names: ["room"] }, (add) => {
    for (const { room, counts } of rooms()) add({ room: room.name }, counts.revoked);
  });
  counter("requests_unmatched_total", { help: "Requests that matched no room.", names: [] }, (add) =>
    add({}, gate.unmatched),
  );
  counter("origin_failures_total", { help: "Requests that an origin failed.", names: ["kind"] }, (add) => {
    for (const [kind, count] of Object.entries(gate.failures)) add({ kind }, count);
  });
  targetGauge("origin_up", "Whether the origin is up, as this node sees it.", ({ health }) => (health.isUp ? 1 : 0));
  targetGauge(
    "origin_changed_timestamp_seconds",
    "Since when the origin is up or down, as Unix time.",
    ({ health }) => health.sinceMs / 1_000,
  );
  targetGauge("origin_weight", "Weight of the origin.", ({ weight }) => weight);
  targetGauge("origin_sessions", "Sessions seen here in the last minute.", (target) => target.sessions(clock()));
  counter("origin_requests_total", { help: "Requests sent to an origin.", names: ["room", "origin"] }, (add) => {
    for (const { room, origin } of rooms())
      for (const { url, requests } of origin.all) add({ room: room.name, origin: url }, requests);
  });
  counter(
    "origin_request_failures_total",
    { help: "Requests to an origin without an answer, or with a status of 500 and above.", names: ["room", "origin"] },
    (add) => {
      for (const { room, origin } of rooms())
        for (const { url, failures } of origin.all) add({ room: room.name, origin: url }, failures);
    },
  );
  counter("origin_retries_total", { help: "Requests sent a second time.", names: ["room"] }, (add) => {
    for (const { room, counts } of rooms()) add({ room: room.name }, counts.retries);
  });
  counter(
    "origin_retries_refused_total",
    { help: "Requests not sent a second time because the budget was used up.", names: ["room"] },
    (add) => {
      for (const { room, counts } of rooms()) add({ room: room.name }, counts.retriesRefused);
    },
  );
  gauge("rollout_percent", "Part of new sessions that a rollout sends to the new origin.", ({ origin }) =>
    origin.percent(clock()),
  );
  counter("mesh_frames_total", { help: "Frames between nodes.", names: ["direction"] }, (add) => {
    add({ direction: "in" }, peer.counts.framesIn + peer.counts.publishedIn);
    add({ direction: "out" }, peer.counts.framesOut + peer.counts.publishedOut);
  });
  counter("mesh_bytes_total", { help: "Bytes of frames between nodes, as packed.", names: ["direction"] }, (add) => {
    add({ direction: "in" }, peer.counts.bytesIn);
    add({ direction: "out" }, peer.counts.bytesOut);
  });
  counter("mesh_faults_total", { help: "Faults in what other nodes sent.", names: [] }, (add) =>
    add({}, peer.counts.faults),
  );
  const info = new Gauge({
    name: "anteroom_info",
    help: "Version.",
    labelNames: ["version"],
    registers: [...registers],
  });
  info.set({ version: options.version }, 1);
  for (const [name, help, read] of [
    ["connections", "Open client connections.", options.connections],
    ["memory_bytes", "Resident memory.", options.memoryBytes],
    ["pressure", "Pressure on the node, 0 to 3.", () => options.pressure.level],
    ["timer_lag_ms", "How late timers come.", () => options.pressure.lagMs],
    ["mesh_members", "Members of the view.", () => peer.members.view?.members.length ?? 0],
    ["mesh_view", "Number of the view; 0 before joining.", () => peer.members.view?.number ?? 0],
  ] as const) {
    new Gauge({
      name: `anteroom_${name}`,
      help,
      registers: [...registers],
      collect() {
        this.set(read());
      },
    });
  }

  return () => {
    idleByRoom.clear();
    return registers[0].metrics();
  };
}
