import type { Stream } from "@libp2p/interface";
import { afterEach, expect, test } from "vitest";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { createMeshNode, type MeshNode } from "../../../mesh/libp2p-node.ts";
import { ephemeralNodeKey } from "../../../mesh/node-key.ts";
import { GossipStreams } from "../../../mesh/patches/gossip-streams.ts";
import { PROCESS_TIMERS } from "../../../mesh/timers.ts";
import { until } from "../../contract/transport.ts";

const TOPIC = "test";
const LATER = "/later";
/** Heartbeats of gossip: what it does of its own accord, it does in one of them. */
const BEATS = 3;

const nodes: MeshNode[] = [];

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

test("a peer whose stream of gossip ended alone is taken in again; the patch is needed: the library does not do it", async () => {
  const [one, other] = [await start(), await start()];
  await one.dial(other.getMultiaddrs());
  await until(() => streams(one).length === 1 && streams(other).length === 1);
  for (const stream of streams(one)) stream.abort(new Error("The stream alone ends"));
  await until(() => streams(one).length === 0);
  await beats(one);
  // What it has begun in them is over when something later has gone there and back.
  await other.handle(LATER, () => {});
  await one.getConnections()[0]?.newStream(LATER, { negotiateFully: true });
  expect(streams(one), "the library does so by itself now: drop mesh/patches/gossip-streams.ts").toEqual([]);

  const gossip = new GossipStreams(one, 0);
  const peers = new Set([other.peerId.toString() as NodeId]);
  for (const nowMs of [1_500, 3_000]) gossip.tick(peers, nowMs);
  await until(() => streams(one).length === 1);
});

/** Lets gossip's own time pass. */
function beats({ services: { gossip } }: MeshNode): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    gossip.addEventListener("gossipsub:heartbeat", () => {
      count += 1;
      if (count === BEATS) resolve();
    });
  });
}

async function start(): Promise<MeshNode> {
  const node = await createMeshNode({
    key: await ephemeralNodeKey(),
    meshKey: new Uint8Array(32),
    listen: "/ip4/127.0.0.1/tcp/0",
    topics: [TOPIC],
    timers: PROCESS_TIMERS,
    proof: { connected() {}, failed() {} },
    isOpen: () => true,
  });
  nodes.push(node);
  await node.start();
  node.services.gossip.subscribe(TOPIC);
  return node;
}

/** A node's own streams of gossip. */
function streams(node: MeshNode): Stream[] {
  return node
    .getConnections()
    .flatMap((connection) => connection.streams)
    .filter(({ direction, protocol }) => direction === "outbound" && protocol.startsWith("/meshsub/"));
}
