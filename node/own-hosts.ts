/** The names and addresses of this machine, in lower case, and what a node on it is called. */

import { hostname, networkInterfaces } from "node:os";

/** As long as a name may be. */
const NAME_CHARS_MAX = 64;

export function ownHosts(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  return [hostname(), ...addresses].map((host) => host.toLowerCase());
}

/** The name of a node: the one that was given, or the host's. The workers of a host are numbered. */
export function nodeNameOf({ name, worker }: { name: string | undefined; worker: number }, host = hostname()): string {
  const end = worker === 0 ? "" : `-${worker}`;
  const base = (name ?? host).replaceAll(/[^A-Za-z0-9._-]/g, "-");
  return (base === "" ? "node" : base).slice(0, NAME_CHARS_MAX - end.length) + end;
}
