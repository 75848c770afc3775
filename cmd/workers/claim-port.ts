/**
 * Makes sure that a port is free before workers share it.
 *
 * Sockets that share a port (SO_REUSEPORT) may join any others of the same user that do so too: started twice, one host would
 * quietly serve two meshes on one port. A socket that does not share is refused while any other listens there, so one is opened first, and
 * closed again.
 */

import type { Address } from "../../node/config/readers.ts";
import { listening } from "../../node/listening.ts";

/** The address with its port, which the system chooses for port 0. `what` is for the reason. Throws `ListenError` when it is taken. */
export function claimPort(address: Address, what = "gate"): Address {
  const server = listening(address, what, (hostname) =>
    Bun.listen({ hostname, port: address.port, socket: { data: () => undefined } }),
  );
  const { port } = server;
  server.stop(true);
  return { ...address, port };
}
