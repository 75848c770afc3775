/**
 * Makes a link of every libp2p connection, incoming or outgoing, and dials.
 */

import type { Connection, Stream } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import type { NodeId } from "./core/ids.ts";
import type { MeshNode } from "./libp2p-node.ts";
import { closedOrLate } from "./mesh-proof.ts";
import type { DialOutcome } from "./peer-keeper.ts";
import { type Ending, type LinkEvents, PeerLink } from "./peer-link.ts";
import { toText } from "./seed-addresses.ts";
import type { Timers } from "./timers.ts";
import type { Purpose } from "./transport.ts";

export interface ConnectionParts extends LinkEvents {
  readonly clock: () => number;
  readonly timers: Timers;
  /** Whether a connection is wanted at all; otherwise it ends at once. */
  readonly isWanted: (peer: NodeId, direction: "inbound" | "outbound") => boolean;
}

interface Entry {
  readonly connection: Connection;
  readonly link: PeerLink;
  readonly outcome: PromiseWithResolvers<DialOutcome>;
}

const PROTOCOLS: readonly (readonly [Purpose, string])[] = [
  ["protocol", "/anteroom/protocol"],
  ["sync", "/anteroom/sync"],
];

/**
 * For a TCP connection. The kernel tries again after 1 s, so a cut that heals meanwhile is noticed; a host that does
 * not answer in this time is not reachable.
 */
const CONNECT_MS = 2_500;
/**
 * From TCP to an encrypted connection: some round trips, and a few ms of CPU at both ends, queued behind all other
 * connections that start now.
 */
const HANDSHAKE_MS = 10_000;
/** How long sent data may take to leave before a connection ends. */
const ENDING_MS = 1_000;

/** The event by which a dial learns that its TCP connection is established. */
const CONNECTED = "anteroom:connected";

/** Notifies the dial that `options` belong to, if any, that its TCP connection is established. */
export function tellConnected(options: unknown): void {
  (options as { onProgress?: (event: Event) => void }).onProgress?.(new Event(CONNECTED));
}

export class Connections {
  readonly #node: MeshNode;
  readonly #parts: ConnectionParts;
  readonly #entries = new Map<string, Entry>();
  readonly #onOpen = ({ detail }: CustomEvent<Connection>) => this.#opened(detail);

  constructor(node: MeshNode, parts: ConnectionParts) {
    this.#node = node;
    this.#parts = parts;
  }

  async start(): Promise<void> {
    this.#node.addEventListener("connection:open", this.#onOpen);
    for (const [purpose, protocol] of PROTOCOLS)
      await this.#node.handle(protocol, (stream, connection) => this.#taken(purpose, stream, connection), {
        maxInboundStreams: 1,
        maxOutboundStreams: 1,
      });
  }

  /** Ends all connections, after what was sent has left. */
  async stop(): Promise<void> {
    this.#node.removeEventListener("connection:open", this.#onOpen);
    // What was sent in this turn leaves at its end.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(Array.from(this.#entries.values(), ({ connection }) => this.#end(connection, "after sending")));
  }

  /** All open connections. */
  links(): PeerLink[] {
    return Array.from(this.#entries.values(), ({ link }) => link);
  }

  /**
   * Dials a multiaddr and reports how it ended; throws if there was no connection. `connected`: there is a TCP
   * connection.
   */
  async dial(
    address: string,
    { peer, connected }: { readonly peer?: NodeId | undefined; readonly connected?: (() => void) | undefined } = {},
  ): Promise<{ readonly outcome: DialOutcome; readonly peer: NodeId }> {
    const { after } = this.#parts.timers;
    const deadline = new AbortController();
    const abort = () => deadline.abort(new Error("Cannot connect as there was no answer in time"));
    let cancel = after(CONNECT_MS, abort);
    try {
      const connection = await this.#node.dial(multiaddr(peer === undefined ? address : `${address}/p2p/${peer}`), {
        signal: deadline.signal,
        onProgress: ({ type }) => {
          if ((type as string) !== CONNECTED) return;
          connected?.();
          cancel();
          cancel = after(HANDSHAKE_MS, abort);
        },
      });
      const entry = this.#entries.get(connection.id);
      return { outcome: (await entry?.outcome.promise) ?? "failed", peer: connection.remotePeer.toString() as NodeId };
    } finally {
      cancel();
    }
  }

  #opened(connection: Connection): void {
    const peer = connection.remotePeer.toString() as NodeId;
    if (connection.status !== "open") return;
    if (!this.#parts.isWanted(peer, connection.direction)) {
      void this.#end(connection, "now");
      return;
    }
    const outcome = Promise.withResolvers<DialOutcome>();
    const line = {
      self: this.#node.peerId.toString() as NodeId,
      peer,
      address: addressOf(connection),
      clock: this.#parts.clock,
      end: (how: Ending) => void this.#end(connection, how),
    };
    const link = new PeerLink(line, {
      ...this.#parts,
      up: (each) => {
        outcome.resolve("up");
        this.#parts.up(each);
      },
      refused: (each, reason) => {
        outcome.resolve("refused");
        this.#parts.refused(each, reason);
      },
      closed: (each) => {
        outcome.resolve("failed");
        this.#entries.delete(connection.id);
        this.#parts.closed(each);
      },
    });
    this.#entries.set(connection.id, { connection, link, outcome });
    connection.addEventListener("close", () => link.lost());
    if (link.isOpener) this.#open(connection, link).catch(() => link.lost());
  }

  async #open(connection: Connection, link: PeerLink): Promise<void> {
    const streams = PROTOCOLS.map(async ([purpose, protocol]) => ({
      purpose,
      stream: await connection.newStream(protocol),
    }));
    for (const { purpose, stream } of await Promise.all(streams)) link.attach(purpose, stream);
  }

  #taken(purpose: Purpose, stream: Stream, connection: Connection): void {
    const link = this.#entries.get(connection.id)?.link;
    if (link === undefined || link.isOpener)
      stream.abort(new Error("Cannot take a stream that only the other side may open"));
    else link.attach(purpose, stream);
  }

  async #end(connection: Connection, how: Ending): Promise<void> {
    const { timers } = this.#parts;
    // The close event may overtake data that was sent on the connection.
    if (how === "when heard") await closedOrLate(connection, ENDING_MS, timers);
    if (how !== "now") await closed(connection, timers);
    // Not in this turn: a stream that the library opened in it would write into the closed connection, and throw where
    // nothing catches it.
    await new Promise((resolve) => setImmediate(resolve));
    connection.abort(new Error("The connection was ended"));
  }
}

/** Closes a connection after what was sent has left. */
async function closed(connection: Connection, { after }: Timers): Promise<void> {
  const deadline = new AbortController();
  const cancel = after(ENDING_MS, () => deadline.abort(new Error("Cannot send all as the other end takes nothing")));
  try {
    await connection.close({ signal: deadline.signal });
  } catch {
    // It accepts no more data: it ends without sending the rest.
  } finally {
    cancel();
  }
}

/** For people: what we dialled, or the host that dialled us; its port changes each time and is useless. */
function addressOf({ remoteAddr, direction }: Connection): string {
  return readableAddress(remoteAddr.toString(), direction);
}

export function readableAddress(remote: string, direction: "inbound" | "outbound"): string {
  const text = toText(remote);
  return direction === "outbound" ? text : text.replace(/:\d+$/, "");
}
