/**
 * A node without a gate that joins a mesh, put together as node/process/node.ts does it: store, part in the mesh, rooms,
 * transport over TCP.
 *
 * What a gate asks of other nodes can so be timed inside a node's own process, without HTTP and cookies around it. It
 * speaks with nodes of the binary, and is one to them. It lasts as long as its process.
 */

import type { NodeId, RoomId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import { ranked } from "../../../mesh/core/members/ring.ts";
import type { Register } from "../../../mesh/core/replica/registers.ts";
import { WIRE_VERSION, WIRES } from "../../../mesh/core/wire/wire-range.ts";
import { signaturesOf } from "../../../mesh/signatures.ts";
import type { Transport } from "../../../mesh/transport.ts";
import { startLibp2pTransport } from "../../../mesh/transport-libp2p.ts";
import { MeshRoom } from "../../../node/admission/mesh/mesh-room.ts";
import { parseRoom } from "../../../node/config/room-document.ts";
import { Peer } from "../../../node/peer/peer.ts";
import type { Ready } from "../../../node/peer/peer-options.ts";
import { roomIdOf } from "../../../node/rooms/stored-room.ts";
import { GroupCommit } from "../../../node/storage/group-commit.ts";
import { ephemeralIdentity, type Identity } from "../../../node/storage/identity.ts";
import { Store } from "../../../node/storage/store.ts";
import { until } from "../programs.ts";

export interface JoinOptions {
  /** Path of the node's database, not there yet. */
  readonly database: string;
  readonly meshKey: string;
  /** Address of the only other node, which is to be the ticket counter of `room`. */
  readonly address: string;
  readonly counter: NodeId;
  readonly room: string;
}

export interface Joined {
  readonly peer: Peer;
  readonly room: MeshRoom;
  /** Does something as of now; what it left to do is committed and sent at the end of this turn. */
  readonly step: (act: () => void) => void;
}

/** As in node/process/node.ts; the rest are the defaults of the settings. */
const TICK_MS = 100;
const LOCALITY = "default";
const AGREED = { minuteMs: 60_000, leaseMs: 30_000 };

/** Joins and waits until the node has slots of its own in the room. */
export async function join(options: JoinOptions): Promise<Joined> {
  const { database, address, counter } = options;
  const roomId = roomIdOf(options.room);
  const { nodeKey, mesh } = await identityBeside(options, roomId);
  if (mesh === undefined) throw new Error("Cannot measure without a mesh key");
  const store = new Store(database, "process");
  const incarnation = Date.now();
  const peer: Peer = new Peer({
    ...AGREED,
    self: nodeKey.node,
    locality: LOCALITY,
    incarnation,
    meshId: mesh.meshId,
    founder: mesh.founder,
    founds: false,
    hasSeeds: true,
    restored: new Map(),
    signatures: signaturesOf(nodeKey),
    random: Math.random,
    now: now(),
    events: {
      roomChanged: (id, register) => makeRoom(peer, id, register),
      viewChanged: () => {},
      over: (_kind, reason) => {
        throw broken(reason);
      },
      log: () => {},
      failed: () => {},
    },
  });
  let transport: Transport | undefined;
  const commit = new GroupCommit<Ready>({
    source: { isIdle: false, take: () => peer.take(), retry: (ready) => peer.retry(ready) },
    commit: ({ batch }) => {
      if (batch.writes.size > 0) store.commit(batch);
    },
    send: ({ frames, published }) => {
      for (const { to, isBulk, frame } of frames) transport?.send(to, isBulk ? "sync" : "protocol", frame);
      for (const frame of published) transport?.publish(frame);
    },
    onRefused: (error) => {
      throw broken(error);
    },
    onFault: (error) => {
      throw broken(error);
    },
  });
  const step = (act: () => void): void => {
    peer.at(now());
    act();
    commit.wake();
  };
  const said = { mesh: mesh.meshId, node: nodeKey.node, incarnation, locality: LOCALITY };
  transport = await startLibp2pTransport(
    {
      key: nodeKey,
      meshKey: mesh.meshKey,
      hello: () => ({ ...AGREED, ...said, wire: WIRE_VERSION, understands: WIRES, version: "bench", addresses: [] }),
      listen: { host: "127.0.0.1", port: 0 },
      advertise: [],
      seeds: [address],
      clock: () => performance.now(),
      random: Math.random,
      resolve: async () => [],
      readPeers: async () => "",
    },
    {
      up: (other, hello) => step(() => peer.up(other, hello, now())),
      down: (other) => step(() => peer.down(other, now())),
      frame: (from, _purpose, frame) => step(() => peer.receive(from, frame, now())),
      published: (from, frame) => step(() => peer.published(from, frame, now())),
      refused: (_address, reason) => {
        throw broken(reason);
      },
      seed: () => {},
      outrun: (newest) => {
        throw broken(`outrun by ${newest}`);
      },
    },
  );
  setInterval(() => {
    peer.tick(now());
    commit.flush();
  }, TICK_MS);
  await until("own slots beside the counter's", () => {
    const free = peer.rooms.get(roomId)?.gauge(Date.now()).active ?? 0;
    return free > 0 && (peer.roomNode.gauge(counter, roomId)?.active ?? 0) > 0;
  });
  const room = peer.rooms.get(roomId);
  if (room?.counters()[0] !== counter) throw broken("the other node is not the ticket counter");
  return { peer, room, step };
}

/** A new identity with which the ring makes the other node the ticket counter: every second one. */
async function identityBeside({ meshKey, counter }: JoinOptions, room: RoomId): Promise<Identity> {
  for (;;) {
    const identity = await ephemeralIdentity({ meshKey, joins: true });
    if (ranked(`${room} ${LOCALITY}`, [identity.nodeKey.node, counter])[0] === counter) return identity;
  }
}

function makeRoom(peer: Peer, id: RoomId, { document }: Register): void {
  const room = parseRoom(JSON.parse(document ?? "null"));
  if (!room.ok) throw broken(JSON.stringify(room.problems));
  peer.add(new MeshRoom({ id, room: room.value, roomNode: peer.roomNode, nowMs: Date.now(), restored: undefined }));
}

function now(): Instant {
  return { wallMs: Date.now(), steadyMs: performance.now() };
}

function broken(reason: unknown): Error {
  return new Error(`Cannot measure as this node must be a member that works: ${reason}`);
}
