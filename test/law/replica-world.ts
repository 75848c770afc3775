/**
 * A small world for the laws of replication: nodes with a disk each, and frames under way that are lost, doubled and
 * reordered.
 *
 * Each node keeps to the order of the shell: writes to the disk, then messages. It can be killed before the commit, or
 * between commit and sending, and comes back with what its disk has. The world knows who gave what and checks after
 * each step that nobody believes that it owns what another one owns too.
 */

import { z } from "zod";
import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../mesh/core/ids.ts";
import { RESOURCES, type Resource, type RowData } from "../../mesh/core/ledger/row.ts";
import { UNITS } from "../../mesh/core/ledger/shares.ts";
import { minuteOf } from "../../mesh/core/minute.ts";
import { orderKey, type RegisterKey } from "../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import { Replica } from "../../mesh/core/replica/replica.ts";
import { type ReplicaMessage, replicaShapes } from "../../mesh/core/replica/replica-messages.ts";
import type { ReplicaOptions } from "../../mesh/core/replica/replica-options.ts";
import { Codec } from "../../mesh/core/wire/codec.ts";
import { type Message, Outbox } from "../../mesh/core/wire/outbox.ts";
import { rowData } from "../../mesh/core/wire/shapes.ts";
import { plainSignatures } from "../mesh/core/replica/plain-signatures.ts";
import { must } from "./onlooker.ts";

/** A gift as it is sent on a stream. */
const giftShape = z.object({ kind: z.literal("gift"), row: rowData });
type Told = ReplicaMessage | { readonly kind: "gift"; readonly row: RowData };

const codec = new Codec({ ...replicaShapes, gift: giftShape });

export const ROOMS = ["shop", "museum"] as RoomId[];
/** A room in which scripts do nothing, so that the founder has all of it. */
export const SPARE_ROOM = "garden" as RoomId;
export const START_MS = 1_700_000_000_000;
export const MINUTE_MS = 60_000;

/** What a killed process had got done of its last step. */
export type Killed = "before the commit" | "between commit and sending" | "after sending";

export type Step =
  | {
      readonly kind: "give";
      readonly at: number;
      readonly to: number;
      readonly resource: Resource;
      readonly room: number;
      readonly part: number;
    }
  | { readonly kind: "record"; readonly at: number; readonly room: number; readonly count: number }
  | { readonly kind: "configure"; readonly at: number; readonly room: number; readonly isDeleted: boolean }
  | { readonly kind: "publish"; readonly at: number }
  /** `at` sends its digest to `to`. */
  | { readonly kind: "digest"; readonly at: number; readonly to: number }
  /** One of the frames under way arrives, and with `again` stays under way. */
  | { readonly kind: "arrive"; readonly frame: number; readonly again: boolean }
  | { readonly kind: "lose"; readonly frame: number }
  | {
      readonly kind: "kill";
      readonly at: number;
      readonly killed: Killed;
      readonly doing: "give" | "publish" | "record";
    }
  | { readonly kind: "later"; readonly ms: number };

interface Frame {
  readonly from: number;
  readonly to: number;
  readonly bytes: Uint8Array;
}

export interface Node {
  readonly id: NodeId;
  readonly account: AccountId;
  readonly alarms: string[];
  readonly rooms: Map<RegisterKey, Register>;
  readonly fenced: Set<AccountId>;
  disk: Map<string, unknown>;
  outbox: Outbox;
  replica: Replica;
  incarnation: number;
}

export class ReplicaWorld {
  readonly nodes: Node[];
  readonly frames: Frame[] = [];
  nowMs = START_MS;

  constructor(count: number) {
    this.nodes = Array.from({ length: count }, (_, index) => {
      const id = idOf(index);
      const node = {
        id,
        account: accountOf(id),
        alarms: [],
        rooms: new Map(),
        fenced: new Set<AccountId>(),
        disk: new Map(),
      };
      return Object.assign(node, { incarnation: START_MS, ...this.#process({ ...node, incarnation: START_MS }) });
    });
  }

  node(index: number): Node {
    const node = this.nodes[index % this.nodes.length];
    if (node === undefined) throw new Error("no such node");
    return node;
  }

  get minute(): Minute {
    return minuteOf(this.nowMs, MINUTE_MS);
  }

  step(step: Step): void {
    switch (step.kind) {
      case "give":
      case "record":
      case "configure":
        this.#act(step);
        this.flush(step.at);
        break;
      case "publish":
        this.publish(step.at);
        break;
      case "digest":
        this.sendDigest(step.at, step.to);
        break;
      case "arrive": {
        const at = step.frame % Math.max(1, this.frames.length);
        const frame = this.frames[at];
        if (frame === undefined) return;
        if (!step.again) this.frames.splice(at, 1);
        this.#arrive(frame);
        break;
      }
      case "lose":
        this.frames.splice(step.frame % Math.max(1, this.frames.length), 1);
        break;
      case "kill":
        this.#kill(step);
        break;
      case "later":
        this.nowMs += step.ms;
        break;
    }
    this.checkNothingTwice();
  }

  /** Writes to the disk, then sends: in the shell's order. `killed` stops it on the way. */
  flush(at: number, published: Message | undefined = undefined, killed: Killed = "after sending"): void {
    const node = this.node(at);
    const batch = node.outbox.take();
    if (killed === "before the commit") return;
    for (const [key, value] of batch.writes) node.disk.set(key, structuredClone(value));
    if (killed === "between commit and sending") return;
    for (const { to, message } of batch.sent)
      this.#send(
        at,
        this.nodes.findIndex(({ id }) => id === to),
        message,
      );
    if (published === undefined) return;
    for (const to of this.nodes.keys()) if (this.node(to) !== node) this.#send(at, to, published);
  }

  publish(at: number, killed: Killed = "after sending"): void {
    const message = this.node(at).replica.publish(this.nowMs);
    this.flush(at, message, killed);
  }

  sendDigest(at: number, to: number): void {
    if (this.node(at) !== this.node(to)) this.#send(at, to, this.node(at).replica.digest());
  }

  give(at: number, to: number, gift: { resource: Resource; room: RoomId; units: number }): void {
    const [giver, receiver] = [this.node(at), this.node(to)];
    const row = giver.replica.give({ ...gift, minute: this.minute, to: receiver.account });
    giver.outbox.send(receiver.id, { kind: "gift", row } as Message);
  }

  /** A node starts again with what is on its disk. */
  restart(at: number, disk: Map<string, unknown> = this.node(at).disk): void {
    const node = this.node(at);
    // It takes a moment; parts are published at a lower rate than one in a ms.
    this.nowMs += 1_000;
    node.incarnation = Math.max(node.incarnation + 1, this.nowMs);
    node.disk = new Map(disk);
    node.rooms.clear();
    Object.assign(node, this.#process(node));
    for (const [key, register] of registersOf(node.replica)) node.rooms.set(key, register);
  }

  /**
   * Two nodes exchange what the other lacks, without loss, until there is nothing more to say. Returns how many ways
   * messages went, there and back.
   */
  exchange(one: number, other: number): number {
    let [from, to] = [one, other];
    let ways = 0;
    for (let said: readonly Told[] = [this.node(one).replica.digest()]; said.length > 0; ways++) {
      must(ways < 10, "an exchange comes to an end");
      said = said.flatMap((message) => this.#heard(from, to, message));
      [from, to] = [to, from];
    }
    return ways;
  }

  /** All nodes publish, all frames are lost, and digests go round: then all know the same. */
  converge(): void {
    // Twice, as a restarted node may have learnt what it once counted, and publishes it again.
    for (let time = 0; time < 2; time++) {
      for (const at of this.nodes.keys()) this.publish(at);
      this.frames.length = 0;
      for (let round = 0; round < 2; round++)
        for (const one of this.nodes.keys()) for (let other = 0; other < one; other++) this.exchange(one, other);
    }
    this.#checkConverged();
  }

  /** All know the same, it is a whole room, and equal digests are answered by nothing. */
  #checkConverged(): void {
    const [first, ...others] = this.nodes.map(({ replica }) => JSON.stringify(contents(replica, this.minute)));
    for (const other of others) must(other === first, `all know the same: ${first} is not ${other}`);
    for (const { rooms, replica, alarms } of this.nodes) {
      must(JSON.stringify(sorted(rooms)) === JSON.stringify(registersOf(replica)), "changes of rooms were told");
      must(alarms.length === 0, `nobody is alarmed: ${alarms[0]}`);
    }
    for (const one of this.nodes.keys())
      for (const other of this.nodes.keys())
        if (one !== other) must(this.exchange(one, other) === 1, "equal digests are answered by nothing");
    for (const room of ROOMS)
      for (const resource of RESOURCES)
        must(this.#believed(room, resource) === UNITS, `units of ${resource} are neither lost nor made`);
  }

  /** What the nodes believe to own never adds up to more than the whole. */
  checkNothingTwice(): void {
    for (const room of ROOMS)
      for (const resource of RESOURCES) {
        const believed = this.#believed(room, resource);
        must(believed <= UNITS, `nobody owns what another owns: ${believed - UNITS} units of ${resource} too many`);
      }
  }

  heard(from: number, to: number, message: Told): void {
    for (const answer of this.#heard(from, to, message)) this.#send(to, from, answer);
  }

  #heard(from: number, to: number, told: Told): readonly ReplicaMessage[] {
    const decoded = codec.decode(codec.encode([told]));
    if (!decoded.ok) throw new Error(`law broken: own frames are good ones: ${decoded.detail}`);
    const [message] = decoded.messages;
    if (message === undefined) return [];
    const { replica } = this.node(to);
    let answers: readonly ReplicaMessage[] = [];
    if (message.kind === "gift") replica.receive(this.node(from).id, message.row);
    else answers = replica.heard(message, this.node(from).id, this.nowMs).answers;
    this.flush(to);
    return answers;
  }

  #believed(room: RoomId, resource: Resource): number {
    const minute = Number.POSITIVE_INFINITY as Minute;
    return this.nodes.reduce(
      (sum, { replica }) => sum + Math.max(0, replica.ledger.units({ room, resource, minute })),
      0,
    );
  }

  #act(step: Extract<Step, { kind: "give" | "record" | "configure" }>): void {
    const { replica, account, rooms } = this.node(step.at);
    const room = ROOMS[step.room % ROOMS.length] as RoomId;
    if (step.kind === "record") {
      const kind = (["in", "out", "seen"] as const)[step.count % 3] ?? "in";
      replica.record(room, { minute: this.minute, kind, count: step.count });
    } else if (step.kind === "configure") {
      const document = step.isDeleted ? undefined : `{"by":"${account}"}`;
      const key = step.room < ROOMS.length ? room : orderKey(room);
      rooms.set(key, replica.setRegister(key, { firstName: room, document, createdMs: START_MS }, this.nowMs));
    } else if (account !== this.node(step.to).account) {
      const units = replica.ledger.units({ room, resource: step.resource, minute: this.minute });
      const given = Math.floor((units * step.part) / 100);
      if (given > 0) this.give(step.at, step.to, { resource: step.resource, room, units: given });
    }
  }

  #kill({ at, killed, doing }: Extract<Step, { kind: "kill" }>): void {
    if (doing === "publish") this.publish(at, killed);
    else {
      if (doing === "record") this.#act({ kind: "record", at, room: 0, count: 7 });
      else for (const resource of RESOURCES) this.#act({ kind: "give", at, to: at + 1, resource, room: 0, part: 40 });
      this.flush(at, undefined, killed);
    }
    this.restart(at);
  }

  #arrive({ from, to, bytes }: Frame): void {
    const decoded = codec.decode(bytes);
    if (!decoded.ok) throw new Error(`law broken: own frames are good ones: ${decoded.detail}`);
    for (const message of decoded.messages) this.heard(from, to, message);
  }

  #send(from: number, to: number, message: Message): void {
    this.frames.push({ from, to, bytes: codec.encode([message]) });
  }

  #process(node: Pick<Node, "id" | "alarms" | "rooms" | "disk" | "incarnation" | "fenced">): {
    outbox: Outbox;
    replica: Replica;
  } {
    const outbox = new Outbox();
    const options: ReplicaOptions = {
      self: node.id,
      founder: accountOf(idOf(0)),
      mesh: "mesh",
      minuteMs: MINUTE_MS,
      incarnation: node.incarnation,
      outbox,
      // Through JSON, as a store might do.
      stored: new Map(JSON.parse(JSON.stringify([...node.disk])) as [string, unknown][]),
      signatures: plainSignatures(node.id),
      writerOf: (account) => this.nodes.find((other) => other.account === account)?.id,
      writes: () => [],
      isFenced: (account) => node.fenced.has(account),
      outdated: (reason) => node.alarms.push(reason),

      forgot: () => {},
      registerChanged: (key, register) => node.rooms.set(key, register),
    };
    return { outbox, replica: new Replica(options) };
  }
}

/**
 * All that a replica knows and that anybody may ask for, in an order of its own: gifts, counts of the last minutes, and
 * rooms.
 */
export function contents(replica: Replica, minute: Minute): unknown {
  const rows = replica.ledger
    .accounts()
    .map((account) => replica.ledger.row(account))
    .flatMap(({ account, gifts, counts }) => [
      ...gifts.map(({ room, resource, to, totals }) => [account, room, resource, to, totals]),
      ...counts.map(({ room, kind, totals }) => [account, room, kind, totals.filter(([at]) => at > minute - 35)]),
    ])
    .map((entry) => JSON.stringify(entry))
    .filter((entry) => !entry.endsWith("[]]"))
    .sort();
  return [rows, registersOf(replica)];
}

/** All registers: of rooms, and of orders about them. */
function registersOf(replica: Replica): [RegisterKey, Register][] {
  const orders = ROOMS.flatMap((room) => {
    const register = replica.register(orderKey(room));
    return register === undefined ? [] : [[orderKey(room), register] as const];
  });
  return sorted(new Map<RegisterKey, Register>([...replica.registers(), ...orders]));
}

function sorted(rooms: ReadonlyMap<RegisterKey, Register>): [RegisterKey, Register][] {
  return [...rooms].sort(([one], [other]) => (one < other ? -1 : 1));
}

export function idOf(index: number): NodeId {
  return `node-${index}` as NodeId;
}
