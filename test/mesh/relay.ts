/**
 * Stands between two nodes as the network would: passes everything on, or swallows everything without ending a
 * connection.
 */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface Relay {
  readonly port: number;
  isCut: boolean;
  /** How many connections came. */
  readonly count: () => number;
  close(): void;
}

/** A relay to `port` of this host. */
export async function openRelay(port: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((near) => {
    count += 1;
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (!relay.isCut && !to.destroyed) to.write(bytes);
      });
      from.on("close", () => {
        sockets.delete(from);
        if (!relay.isCut) to.destroy();
      });
      from.on("error", () => from.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const relay: Relay = {
    port: (server.address() as AddressInfo).port,
    isCut: false,
    count: () => count,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return relay;
}
