/**
 * A libp2p node set up for a mesh of ours: TCP, the mesh key, Noise, yamux, and gossip.
 *
 * libp2p is made for open networks of strangers. Here every node has the mesh key, often behind one IP address, so the
 * protections against strangers are off or lenient: peer scores, limits per host, its own pings and redialling.
 * Workarounds for faults of the library or the runtime are in `patches/`, each with a test that fails once the
 * workaround is needless.
 */

import { gossipsub } from "@chainsafe/libp2p-gossipsub";
import { identify } from "@libp2p/identify";
import type { ComponentLogger, Logger } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { yamux } from "@libp2p/yamux";
import { createLibp2p } from "libp2p";
import { meshProtector, noisePrologue, type ProofEvents } from "./mesh-proof.ts";
import type { NodeKey } from "./node-key.ts";
import { abortableTcp } from "./patches/abortable-tcp.ts";
import { noiseCrypto } from "./patches/noise-crypto.ts";
import { tellWindowsSeldom } from "./patches/yamux-windows.ts";
import type { Timers } from "./timers.ts";
import { FRAME_BYTES_MAX } from "./transport.ts";

export interface NodeParts {
  readonly key: NodeKey;
  readonly meshKey: Uint8Array;
  /** Multiaddr to listen on. */
  readonly listen: string;
  /** The gossip topics. */
  readonly topics: readonly string[];
  readonly proof: ProofEvents;
  readonly timers: Timers;
  /** Whether connections are accepted yet. */
  readonly isOpen: () => boolean;
}

export type MeshNode = Awaited<ReturnType<typeof createMeshNode>>;

/** Connections in all: a mesh of 100 with two to each while they settle, and as many strangers. */
const CONNECTIONS_MAX = 400;
/** Connections that have not proved the mesh key yet: all others of a mesh of 100 at once, and as many strangers. */
const UNPROVED_MAX = 200;
/** New connections per second and host: all of a mesh of 100 behind one address, every half second. */
const PER_SECOND_MAX = 200;
/** For one attempt at one address. Our own deadlines are shorter; this one only has to be longer. */
const DIAL_MS = 30_000;
/** A gossip message holds a few frames at most; a larger one ends its stream. */
const GOSSIP_BYTES_MAX = 8 * FRAME_BYTES_MAX;

/**
 * To how many peers a message is passed on. The library's 6 (and an author's own to all) suit lossy networks of
 * thousands. With 4, thirty nodes spend half the CPU on it and hear the same; anti-entropy repairs what is still lost.
 */
const DEGREES = { floodPublish: false, D: 4, Dlo: 3, Dhi: 6, Dscore: 2, Dout: 1 };

/**
 * How often gossip tells peers which messages it has, and fills up its fan-out, in ms. The library's second is for meshes
 * without anti-entropy, and took a quarter of the messages of a mesh at rest. A new peer gets its part of the fan-out
 * at once; what a lost one was to pass on comes by a digest, or with the next gauges, within about the same time.
 */
const HEARTBEAT_MS = 5_000;

const EMPTY = new Uint8Array(0);

/** Creates a node that is not started yet. */
export function createMeshNode(parts: NodeParts) {
  tellWindowsSeldom();
  return createLibp2p({
    privateKey: parts.key.privateKey,
    start: false,
    logger: SILENCE,
    nodeInfo: { name: "anteroom", version: "", userAgent: "anteroom" },
    addresses: { listen: [parts.listen] },
    transports: [abortableTcp()],
    connectionProtector: meshProtector(parts.meshKey, parts.proof, parts.timers),
    connectionEncrypters: [noise({ crypto: noiseCrypto(), prologueBytes: noisePrologue(parts.meshKey) })],
    streamMuxers: [yamux()],
    connectionGater: { denyInboundConnection: () => !parts.isOpen() },
    connectionMonitor: { enabled: false },
    connectionManager: {
      maxConnections: CONNECTIONS_MAX,
      maxIncomingPendingConnections: UNPROVED_MAX,
      inboundConnectionThreshold: PER_SECOND_MAX,
      dialTimeout: DIAL_MS,
      addressDialTimeout: DIAL_MS,
    },
    services: {
      identify: identify(),
      gossip: gossipsub({
        allowedTopics: [...parts.topics],
        allowPublishToZeroTopicPeers: true,
        fallbackToFloodsub: false,
        tagMeshPeers: false,
        ...DEGREES,
        heartbeatInterval: HEARTBEAT_MS,
        maxInboundDataLength: GOSSIP_BYTES_MAX,
        // Author and sequence number identify a message; the library would check the signature of a copy before it
        // recognises it as one.
        fastMsgIdFn: ({ from, seqno }) => Buffer.concat([from ?? EMPTY, seqno ?? EMPTY]).toString("latin1"),
        // From eleven nodes behind one address on, the default score would exclude all of them. Honest nodes that are
        // slow for a while must not lose points either: they would be cut off from gossip while they hold shares.
        scoreParams: { IPColocationFactorWeight: 0, behaviourPenaltyWeight: 0 },
      }),
    },
  });
}

/** libp2p's own log: what an operator should know comes from our own events. */
const silent: Logger = Object.assign(() => {}, {
  error: () => {},
  trace: () => {},
  enabled: false,
  newScope: () => silent,
});
export const SILENCE: ComponentLogger = { forComponent: () => silent };
