/** What a node needs to know of the process that it runs in. */

import type { Room } from "../config/room.ts";
import type { SettingRow, Settings } from "../config/settings.ts";
import type { ServerTls } from "../http/server-certificates.ts";
import type { OriginTls } from "../http/upstream.ts";
import type { Log } from "../log.ts";
import type { PeopleFile } from "../operator/access/people-file.ts";
import type { ProcessFigures } from "../operator/metrics/node-metrics.ts";
import type { ProxyOf } from "../operator/outbound-proxy.ts";
import type { Lookups } from "../rules/lookups.ts";

export interface NodeOptions {
  readonly settings: Settings;
  /** The same as text, without secrets, for operators who compare them. */
  readonly settingRows?: readonly SettingRow[];
  /** Rooms declared at the start. */
  readonly rooms: readonly Room[];
  readonly version: string;
  /** The gate's certificates, if it speaks TLS. */
  readonly tls: ServerTls | undefined;
  /** How https origins are checked, and what the gate shows them. */
  readonly originTls: OriginTls | undefined;
  /** Most client connections at once. */
  readonly connectionsMax: number;
  readonly log: Log;
  /** Takes lines of the access log that are not in the log's own form. */
  readonly writeAccess?: (line: string) => void;
  readonly clock: () => number;
  /** Ms that never go back. */
  readonly steadyClock: () => number;
  readonly memoryBytes: () => number;
  /** What the process knows of itself, for metrics. */
  readonly processFigures?: () => ProcessFigures;
  /** The memory that this process may use. */
  readonly memoryBytesMax: number;
  /** By whom people log in to the dashboard; left out where tokens alone do. */
  readonly people?: PeopleFile | undefined;
  /** What files tell rules about the senders of requests; left out where there are none. */
  readonly lookups?: () => Lookups;
  /** By which proxy receivers of webhooks and the collector of traces are reached; none without it. */
  readonly proxyOf?: ProxyOf;
  /** Ends the process at once, without saving anything: an invariant is broken. */
  readonly endNow: () => void;
}
