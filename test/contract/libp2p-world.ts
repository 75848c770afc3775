/**
 * Nodes with the transport over TCP, on ports of 127.0.0.1 that the system chooses, and with a time of their own.
 */

import { seededRandom } from "../../cmd/crowd/random.ts";
import type { Hello } from "../../mesh/core/wire/hello.ts";
import { ephemeralNodeKey, type NodeKey } from "../../mesh/node-key.ts";
import type { SeedState } from "../../mesh/seeds.ts";
import { type Libp2pOptions, startLibp2pTransport } from "../../mesh/transport-libp2p.ts";
import { CountedTime } from "./counted-time.ts";
import { HELLO, type Started, Told, type World } from "./transport.ts";

export class ToldOfSeeds extends Told {
  readonly seeds: { readonly address: string; readonly state: SeedState }[] = [];
  readonly seed = (address: string, state: SeedState) => {
    this.seeds.push({ address, state });
  };
  readonly outrunBy: number[] = [];
  readonly outrun = (newest: number) => {
    this.outrunBy.push(newest);
  };
}

export interface StartedOverTcp extends Started {
  readonly told: ToldOfSeeds;
  restart(): Promise<StartedOverTcp>;
}

export interface TcpWorld extends World {
  start(hello?: Partial<Hello>, options?: Partial<Libp2pOptions>): Promise<StartedOverTcp>;
}

const MESH_KEY = new Uint8Array(32).fill(7);

export function tcpWorld(): TcpWorld {
  const started: StartedOverTcp[] = [];
  const time = new CountedTime();
  const begin = async (key: NodeKey, hello: typeof HELLO, options: Partial<Libp2pOptions>): Promise<StartedOverTcp> => {
    const told = new ToldOfSeeds();
    const defaults: Libp2pOptions = {
      key,
      meshKey: MESH_KEY,
      hello: () => ({ ...hello, node: key.node }),
      listen: { host: "127.0.0.1", port: 0 },
      advertise: [],
      seeds: [],
      clock: time.clock,
      timers: time,
      random: seededRandom(started.length + 1),
      resolve: async () => [],
      readPeers: async () => "",
    };
    const transport = await startLibp2pTransport({ ...defaults, ...options }, told);
    const restart = async () => {
      await transport.stop();
      return begin(key, { ...hello, incarnation: hello.incarnation + 1 }, options);
    };
    const node = { transport, told, restart };
    started.push(node);
    return node;
  };
  return {
    start: async (hello = {}, options = {}) => begin(await ephemeralNodeKey(), { ...HELLO, ...hello }, options),
    pass: (ms) => time.pass(ms),
    close: async () => {
      await Promise.all(started.map(({ transport }) => transport.stop()));
      time.stop();
    },
  };
}
