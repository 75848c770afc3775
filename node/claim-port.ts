/**
 * Makes sure that a port is free before a server that would share it listens there.
 *
 * Sockets that share a port (SO_REUSEPORT) join any others of the same user that do so too, and Bun's HTTP server
 * always shares: started twice, one host would silently answer for two nodes on one port. A socket that does not share
 * is refused while any other listens there, so this opens one first and closes it again.
 */

import type { Address } from "./config/readers.ts";
import { listening } from "./listening.ts";

/**
 * The address with its port, which the system chooses for port 0. `what` is used in the reason. Throws `ListenError`
 * when it is taken.
 */
export function claimPort(address: Address, what = "gate"): Address {
  const server = listening(address, what, (hostname) =>
    Bun.listen({ hostname, port: address.port, socket: { data: () => undefined } }),
  );
  const { port } = server;
  server.stop(true);
  return { ...address, port };
}
