/**
 * A node without its gate, put together as node/node.ts does it: keys, store, part in the mesh, rooms, transport over TCP.
 *
 * What a gate does for a visitor can so be done and timed inside a node's own process, without HTTP and cookies around it.
 * It speaks with nodes of the binary, and is one to them.
 */

import { join } from "node:path";
import { WIRE_VERSION } from "../../../mesh/core/hello.ts";
import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import type { Register } from "../../../mesh/core/registers.ts";
import { signaturesOf } from "../../../mesh/signatures.ts";
import type { Transport } from "../../../mesh/transport.ts";
import { startLibp2pTransport } from "../../../mesh/transport-libp2p.ts";
import { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import { parseRoom, type RoomDocument } from "../../../node/config/room-document.ts";
import { FOUNDS_KEY } from "../../../node/founding.ts";
import { GroupCommit } from "../../../node/group-commit.ts";
import { loadIdentity, newMesh, saveMesh } from "../../../node/identity.ts";
import { incarnationOf, Peer, type Ready } from "../../../node/peer.ts";
import { roomIdOf } from "../../../node/rooms.ts";
import { Store } from "../../../node/store.ts";
import { LOCALITY } from "./rooms.ts";

export interface PartNodeOptions {
  /** A new directory. */
  readonly data: string;
  /** Path of the mesh key and address of a node of the mesh to join; without it, a mesh is founded. */
  readonly join?: { readonly meshKey: string; readonly address: string };
  readonly minuteMs: number;
  /** Called when a frame of another node has been taken in. */
  readonly heard?: () => void;
}

/** As in node/node.ts. */
const TICK_MS = 100;
/** The defaults of the settings. */
const LEASE_MS = 30_000;
const ISLAND_MS = 600_000;

export class PartNode {
  readonly peer: Peer;
  readonly #commit: GroupCommit<Ready>;
  #transport: Transport | undefined;

  private constructor(peer: Peer, store: Store) {
    this.peer = peer;
    this.#commit = new GroupCommit<Ready>({
      source: { isIdle: false, take: () => peer.take(), retry: (ready) => peer.retry(ready) },
      commit: ({ batch }) => {
        if (batch.writes.size > 0) store.commit(batch);
      },
      send: (ready) => this.#send(ready),
      onError: (error) => {
        throw error;
      },
    });
  }

  static async start({ data, join: joins, minuteMs, heard }: PartNodeOptions): Promise<PartNode> {
    const identity = await loadIdentity(data, { meshKey: joins?.meshKey, joins: joins !== undefined });
    const { nodeKey } = identity;
    const store = new Store(join(data, "anteroom.db"), "process");
    const restored = store.entries();
    const mesh = identity.mesh ?? newMesh(nodeKey.node);
    const founds = identity.mesh === undefined;
    const incarnation = incarnationOf(restored, Date.now());
    const peer: Peer = new Peer({
      self: nodeKey.node,
      locality: LOCALITY,
      incarnation,
      meshId: mesh.meshId,
      founder: mesh.founder,
      founds,
      hasSeeds: joins !== undefined,
      minuteMs,
      leaseMs: LEASE_MS,
      islandMs: ISLAND_MS,
      restored,
      signatures: signaturesOf(nodeKey),
      random: Math.random,
      now: now(),
      events: {
        roomChanged: (id, register) => makeRoom(peer, id, register),
        viewChanged: () => {},
        over: (_kind, reason) => {
          throw new Error(`Cannot measure as every node must stay: ${reason}`);
        },
        log: () => {},
      },
    });
    if (founds) {
      peer.outbox.put(FOUNDS_KEY, undefined);
      store.commit(peer.take().batch);
      saveMesh(data, mesh);
    }
    const node = new PartNode(peer, store);
    const step = (act: () => void): void => {
      node.step(act);
      heard?.();
    };
    node.#transport = await startLibp2pTransport(
      {
        key: nodeKey,
        meshKey: mesh.meshKey,
        hello: () => ({
          wire: WIRE_VERSION,
          mesh: mesh.meshId,
          minuteMs,
          leaseMs: LEASE_MS,
          islandMs: ISLAND_MS,
          node: nodeKey.node,
          incarnation,
          locality: LOCALITY,
          version: "bench",
          addresses: [],
        }),
        listen: { host: "127.0.0.1", port: 0 },
        advertise: [],
        seeds: joins === undefined ? [] : [joins.address],
        clock: () => performance.now(),
        random: Math.random,
        resolve: async () => [],
      },
      {
        up: (other, hello) => step(() => peer.up(other, hello, now())),
        down: (other) => step(() => peer.down(other, now())),
        frame: (from, _purpose, frame) => step(() => peer.receive(from, frame, now())),
        published: (from, frame) => step(() => peer.published(from, frame, now())),
        refused: (address, reason) => {
          throw new Error(`Cannot measure as ${address} must be a node of the mesh: ${reason}`);
        },
        seed: () => {},
      },
    );
    setInterval(() => {
      peer.tick(now());
      node.#commit.flush();
    }, TICK_MS);
    return node;
  }

  get id(): NodeId {
    return this.peer.mesh.self;
  }

  /** Where other nodes can reach this one. */
  get address(): string {
    return this.#transport?.addresses[0] ?? "";
  }

  /** Members that answer, this node included. */
  get alive(): number {
    return this.peer.members.alive(now()).length;
  }

  /** Does something as of now; what it left to do is committed and sent at the end of this turn. */
  step(act: () => void): void {
    this.peer.at(now());
    act();
    this.#commit.wake();
  }

  /** Calls `told` once everything that waits at the end of this turn is on disk. Throws in a later turn if it cannot be. */
  afterCommit(told: () => void): void {
    this.#commit.afterCommit((isOnDisk) => {
      if (!isOnDisk) throw new Error("Cannot measure as the disk must take what is written");
      told();
    });
  }

  /** Makes a room, on all nodes. */
  apply(document: RoomDocument & { readonly name: string }): RoomId {
    const id = roomIdOf(document.name);
    this.step(() => {
      const value = { firstName: document.name, document: JSON.stringify(document), createdMs: Date.now() };
      makeRoom(this.peer, id, this.peer.replica.setRegister(id, value, Date.now()));
    });
    return id;
  }

  #send({ frames, published, known, forgotten }: Ready): void {
    const transport = this.#transport;
    if (transport === undefined) return;
    for (const { to, isBulk, frame } of frames) transport.send(to, isBulk ? "sync" : "protocol", frame);
    for (const frame of published) transport.publish(frame);
    for (const [node, addresses] of known) transport.know(node, addresses);
    for (const node of forgotten) transport.forget(node);
  }
}

function now(): Instant {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

function makeRoom(peer: Peer, id: RoomId, { document }: Register): void {
  const room = parseRoom(JSON.parse(document ?? "null"));
  if (!room.ok) throw new Error(`Cannot make a room: ${JSON.stringify(room.problems)}`);
  const known = peer.rooms.get(id);
  if (known !== undefined) known.configure(room.value);
  else peer.add(new MeshRoom({ id, room: room.value, mesh: peer.mesh, nowMs: Date.now(), restored: undefined }));
}
