/**
 * The link of a node with the others: libp2p, as the settings say. What it hears goes to the shell.
 */

import { lookup } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { WIRES } from "../../mesh/core/wire/wire-range.ts";
import type { NodeKey } from "../../mesh/node-key.ts";
import { parseAddress } from "../../mesh/seed-addresses.ts";
import type { Transport } from "../../mesh/transport.ts";
import { startLibp2pTransport, TransportError } from "../../mesh/transport-libp2p.ts";
import { addressText } from "../config/readers.ts";
import { ListenError } from "./listening.ts";
import type { NodeOptions } from "./node-options.ts";
import type { NodeShell } from "./shell.ts";

interface MeshParts {
  readonly meshKey: Uint8Array;
  readonly meshId: string;
  readonly nodeKey: NodeKey;
  readonly shell: NodeShell;
  readonly steadyMs: () => number;
}

/** Throws `ListenError` if the port is taken, or the address is not this host's. */
export async function listenMesh({ settings, version, log }: NodeOptions, parts: MeshParts): Promise<Transport> {
  const { meshKey, meshId, nodeKey, shell, steadyMs } = parts;
  const { peer } = shell;
  const { minuteMs, locality, advertise, join: seeds } = settings;
  const incarnation = peer.incarnation;
  const ownName = peer.names.own;
  const diverts = new Map(settings.divert);
  try {
    return await startLibp2pTransport(
      {
        key: nodeKey,
        meshKey,
        hello: () => ({
          wire: peer.members.wire,
          understands: WIRES,
          mesh: meshId,
          minuteMs,
          leaseMs: settings.leaseMs,
          node: nodeKey.node,
          incarnation,
          locality,
          ...(ownName !== undefined && { name: ownName }),
          version,
          addresses: [],
        }),
        listen: settings.mesh,
        advertise,
        seeds,
        override: (multiaddr) => diverts.get(parseAddress(multiaddr)?.host ?? "") ?? multiaddr,
        clock: steadyMs,
        random: Math.random,
        readPeers: (path) => readFile(path, "utf8"),
        resolve: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
      },
      {
        up: (node, hello) => shell.hear((now) => peer.up(node, hello, now)),
        down: (node) => shell.hear((now) => peer.down(node, now)),
        frame: (from, _purpose, frame) => shell.hear((now) => peer.receive(from, frame, now)),
        published: (from, frame) => shell.hear((now) => peer.published(from, frame, now)),
        outrun: (newest) => shell.hear((now) => peer.outrun(newest, now)),
        refused: (address, reason) => log.warn({ address, reason }, "node refused"),
        seed: (address, state) => {
          if (state === "silent") log.warn({ seed: address }, "seed address does not answer: still trying");
          else log.info({ seed: address }, "seed address answers");
        },
      },
    );
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const isTaken = /EADDRINUSE/.test(`${error.message} ${String(error.cause)}`);
    const reason = isTaken ? "the port is taken" : error.message;
    const text = `Cannot listen for the mesh on ${addressText(settings.mesh)} as ${reason}`;
    throw new ListenError(text, isTaken ? "EADDRINUSE" : error.code, error);
  }
}
