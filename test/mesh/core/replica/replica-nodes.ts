/** A few replicas whose messages a test hands over one by one. */

import { type AccountId, accountOf, type Minute, type NodeId, type RoomId } from "../../../../mesh/core/ids.ts";
import type { RegisterKey } from "../../../../mesh/core/replica/register-keys.ts";
import type { Register } from "../../../../mesh/core/replica/registers.ts";
import { Replica } from "../../../../mesh/core/replica/replica.ts";
import type { Heard } from "../../../../mesh/core/replica/replica-inbox.ts";
import { type ReplicaMessage, replicaShapes } from "../../../../mesh/core/replica/replica-messages.ts";
import { Codec } from "../../../../mesh/core/wire/codec.ts";
import { Outbox } from "../../../../mesh/core/wire/outbox.ts";
import { plainSignatures } from "./plain-signatures.ts";

export const ROOM = "shop" as RoomId;
export const NOW_MS = 1_700_000_000_000;
export const NOW = Math.floor(NOW_MS / 60_000) as Minute;
export const later = (minutes: number) => (NOW + minutes) as Minute;

const codec = new Codec(replicaShapes);

export interface TestNode {
  readonly id: NodeId;
  readonly account: AccountId;
  readonly replica: Replica;
  readonly alarms: string[];
  readonly changes: [RegisterKey, Register][];
  /** How often a signature was checked. */
  readonly checks: { count: number };
  /** What has been committed. */
  readonly disk: Map<string, unknown>;
  /** Commits what was put. */
  commit(): void;
  publish(nowMs?: number): ReplicaMessage | undefined;
}

export interface Mesh {
  readonly writers: Map<AccountId, NodeId>;
  readonly fenced: Set<AccountId>;
}

export function newMesh(...names: string[]): Mesh {
  return { writers: new Map(names.map((name) => [name as AccountId, name as NodeId])), fenced: new Set() };
}

/** A node that starts with what is on `disk`. Anna is the founder. */
export function start(
  name: string,
  mesh: Mesh,
  options: {
    disk?: Map<string, unknown>;
    incarnation?: number;
    id?: string;
  } = {},
): TestNode {
  const id = name as NodeId;
  const outbox = new Outbox();
  const disk = new Map(options.disk);
  const alarms: string[] = [];
  const changes: [RegisterKey, Register][] = [];
  const checks = { count: 0 };
  const replica = new Replica({
    self: id,
    founder: "anna" as AccountId,
    mesh: options.id ?? "mesh",
    minuteMs: 60_000,
    incarnation: options.incarnation ?? NOW_MS - 1_000,
    outbox,
    stored: new Map(JSON.parse(JSON.stringify([...disk])) as [string, unknown][]),
    signatures: plainSignatures(id, checks),
    writerOf: (account) => mesh.writers.get(account),
    writes: () => [...mesh.writers].flatMap(([account, node]) => (node === id ? [account] : [])),
    isFenced: (account) => mesh.fenced.has(account),
    outdated: (reason) => alarms.push(reason),

    forgot: () => {},
    registerChanged: (room, register) => changes.push([room, register]),
  });
  const commit = () => {
    for (const [key, value] of outbox.take().writes) disk.set(key, value);
  };
  const publish = (nowMs = NOW_MS) => {
    const message = replica.publish(nowMs);
    commit();
    return message;
  };
  return { id, account: accountOf(id), replica, alarms, changes, checks, disk, commit, publish };
}

/** Hands a message over, through the codec. */
export function hear(to: TestNode, message: ReplicaMessage | undefined, from: TestNode, nowMs = NOW_MS): Heard {
  if (message === undefined) throw new Error("nothing to hear");
  const decoded = codec.decode(codec.encode([message]));
  const [heard] = decoded.ok ? decoded.messages : [];
  if (heard === undefined) throw new Error("own messages are good ones");
  const outcome = to.replica.heard(heard, from.id, nowMs);
  to.commit();
  return outcome;
}

/**
 * Exchanges what each lacks, beginning with the digest of `one`, which may want one back as after a start; returns what
 * was said in each direction, in order.
 */
export function exchange(one: TestNode, other: TestNode, nowMs = NOW_MS, wantsBack = false): ReplicaMessage[][] {
  const ways: ReplicaMessage[][] = [];
  let [from, to] = [one, other];
  for (let said: ReplicaMessage[] = [one.replica.digest({ wantsBack })]; said.length > 0 && ways.length < 20; ) {
    ways.push(said);
    const [speaker, hearer] = [from, to];
    said = said.flatMap((message) => [...hear(hearer, message, speaker, nowMs).answers]);
    [from, to] = [to, from];
  }
  return ways;
}

export function active(minute = NOW) {
  return { room: ROOM, resource: "active", minute } as const;
}

export function arrivals(minute = NOW) {
  return { room: ROOM, resource: "arrivals", minute } as const;
}
