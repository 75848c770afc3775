/**
 * The flags of one worker: those of the whole host, but with its own data directory and mesh port.
 *
 * A worker gets all other settings from the same sources as its host: flags, environment, config file. A flag outranks
 * the others, so everything that is particular to a worker is given by flag, even a value that would apply anyway.
 */

import { join } from "node:path";
import { type Address, addressText } from "../../node/config/readers.ts";
import type { Settings } from "../../node/config/settings.ts";
import { flagOf, type SettingKey, variableOf } from "../../node/config/settings-table.ts";

export interface Host {
  readonly settings: Settings;
  /** The flags that the host was started with. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** The address on which all workers listen for visitors; its port is known. */
  readonly gate: Address;
  /** Directory of the workers' directories. */
  readonly data: string;
}

/** Settings that each worker has otherwise than its host. */
export const WORKER_KEYS = [
  ...(["worker", "roomsAtStart", "workers", "listen", "admin", "metrics", "mesh", "join", "meshKey"] as const),
  ...(["advertise", "data", "ephemeral", "token", "originSecret", "queueItSecret", "queueItApiKey"] as const),
] satisfies readonly SettingKey[];

/** How a worker joins the mesh, in addition to the host's settings. */
export interface Joining {
  /** Addresses of workers that are up. */
  readonly siblings: readonly string[];
  /** Path of the mesh key; undefined for a worker that creates the mesh. */
  readonly meshKey: string | undefined;
  /** Whether it may apply the rooms file: one worker does at the host's start, and no restarted one. */
  readonly roomsAtStart: boolean;
}

/** Directory of worker `worker` in the data directory. */
export function workerDirectory(worker: number): string {
  return `worker-${worker}`;
}

/** The arguments of `serve` for worker `worker`, from 1. */
export function workerFlags(host: Host, worker: number, { siblings, meshKey, roomsAtStart }: Joining): string[] {
  const { settings, flags, gate, data } = host;
  const { mesh } = settings;
  const own: [SettingKey, string][] = [
    ["worker", String(worker)],
    ["roomsAtStart", String(roomsAtStart)],
    ["workers", "1"],
    ["listen", addressText(gate)],
    ["admin", "127.0.0.1:0"],
    ["mesh", addressText({ host: mesh.host, port: portOf(mesh.port, worker) })],
    ["join", [...settings.join, ...siblings].join(",")],
    ["meshKey", meshKey ?? ""],
    ["advertise", settings.advertise.map((text) => advertised(text, worker)).join(",")],
    ["data", join(data, workerDirectory(worker))],
    // Also for a host that keeps nothing: its directories go when it stops, but a worker that crashes needs its own.
    ["ephemeral", "false"],
  ];
  const replaced = new Set(WORKER_KEYS.map(flagOf));
  return [
    ...[...flags].flatMap(([flag, values]) => (replaced.has(flag) ? [] : values.map((value) => `--${flag}=${value}`))),
    ...own.flatMap(([key, value]) => (value === "" ? [] : [`--${flagOf(key)}=${value}`])),
  ];
}

/** The address at which its siblings dial a worker that listens for nodes on `mesh`. */
export function siblingAddress({ host, port }: Address): string {
  const name = host === "" || host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return addressText({ host: name, port });
}

/** Ports count up from that of the first worker; with 0 the system still chooses. */
function portOf(first: number, worker: number): number {
  return first === 0 ? 0 : first + worker - 1;
}

/** The address of `worker` that others are told, in the form in which the host's was written. */
function advertised(text: string, worker: number): string {
  return text.replace(
    /(:|\/tcp\/)(\d+)(?=$|\/p2p\/)/,
    (_, lead: string, port: string) => lead + portOf(Number(port), worker),
  );
}

/** Secrets that the host got as flags, for the environment of its workers: everybody on the host sees arguments. */
export function workerSecrets({ settings, flags }: Host): Record<string, string> {
  const { token, originSecret, queueIt } = settings;
  const ofQueueIt = { queueItSecret: queueIt?.secret, queueItApiKey: queueIt?.apiKey };
  const values = { token, originSecret, ...ofQueueIt } as const;
  const keys = ["token", "originSecret", "queueItSecret", "queueItApiKey"] as const;
  const given = keys.filter((key) => flags.has(flagOf(key)));
  return Object.fromEntries(
    given.flatMap((key) => (values[key] === undefined ? [] : [[variableOf(key), values[key]]])),
  );
}
