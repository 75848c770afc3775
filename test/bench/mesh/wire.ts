/**
 * Bytes that really go over the connections between nodes, from the system's own count of each (`ss`, TCP_INFO):
 * frames, what gossip passes on for others, encryption and the library's own talk; without the heads of TCP and IP.
 */

import { installed } from "../programs.ts";

/** Bytes sent so far, by connection and direction. */
export type Sent = ReadonlyMap<string, number>;

/** What has been sent over the connections from or to one of `ports`; undefined where the system cannot be asked. */
export function sentOver(ports: ReadonlySet<number>): Sent | undefined {
  const ss = installed("ss");
  if (ss === undefined) return undefined;
  const { stdout, exitCode } = Bun.spawnSync([ss, "-tinH", "state", "established"]);
  return exitCode === 0 ? sentIn(stdout.toString(), ports) : undefined;
}

/** The same from what `ss -tinH state established` prints: two lines for each end of a connection. */
export function sentIn(text: string, ports: ReadonlySet<number>): Sent {
  const sent = new Map<string, number>();
  let ends: string | undefined;
  for (const line of text.split("\n")) {
    if (/^\s/.test(line)) {
      if (ends !== undefined) sent.set(ends, Number(/\bbytes_sent:(\d+)/.exec(line)?.[1] ?? 0));
      ends = undefined;
      continue;
    }
    const [local = "", peer = ""] = line.trim().split(/\s+/).slice(2);
    const isNodes = [local, peer].some((address) => ports.has(Number(address.slice(address.lastIndexOf(":") + 1))));
    ends = isNodes ? `${local} ${peer}` : undefined;
  }
  return sent;
}

/** Bytes sent between two looks. A connection that ended meanwhile is left out. */
export function sentBetween(before: Sent, after: Sent): number {
  let bytes = 0;
  for (const [ends, sent] of after) bytes += sent - (before.get(ends) ?? 0);
  return bytes;
}
