/** The names and addresses of this machine, in lower case. */

import { hostname, networkInterfaces } from "node:os";

export function ownHosts(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  return [hostname(), ...addresses].map((host) => host.toLowerCase());
}
