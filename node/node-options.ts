/** What a node needs to know of the process that it runs in. */

import type { Room } from "./config/room.ts";
import type { Settings } from "./config/settings.ts";
import type { Log } from "./log.ts";

export interface NodeOptions {
  readonly settings: Settings;
  /** Rooms declared at the start. */
  readonly rooms: readonly Room[];
  readonly version: string;
  /** Certificate chain and key in PEM, if the gate speaks TLS. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  /** Certificates in PEM that origins are checked against, instead of the system's. */
  readonly originCa: string | undefined;
  /** Most client connections at once. */
  readonly connectionsMax: number;
  readonly log: Log;
  readonly clock: () => number;
  /** Ms that never go back. */
  readonly steadyClock: () => number;
  readonly memoryBytes: () => number;
  /** The memory that this process may use. */
  readonly memoryBytesMax: number;
  /** Ends the process at once, without saving anything: an invariant is broken. */
  readonly endNow: () => void;
}
