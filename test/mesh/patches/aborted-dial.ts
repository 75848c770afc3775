/**
 * A dial that is aborted before it is through, in a process of its own: exits with 3 if an error comes that nobody can
 * catch.
 */

import { connect, createServer } from "node:net";
import { tcp } from "@libp2p/tcp";
import { multiaddr } from "@multiformats/multiaddr";
import { SILENCE } from "../../../mesh/libp2p-node.ts";
import { abortableTcp } from "../../../mesh/patches/abortable-tcp.ts";

process.on("uncaughtException", () => process.exit(3));

const server = createServer().listen(0, "127.0.0.1", async () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  const make = process.argv[2] === "plain" ? tcp() : abortableTcp();
  const abort = new AbortController();
  // Of all that a transport may use, this one needs its log and whom to hand the connection to.
  const transport = make({ logger: SILENCE } as Parameters<typeof make>[0]);
  const upgrader = { upgradeOutbound: () => new Promise(() => {}) };
  const options = { signal: abort.signal, upgrader } as unknown as Parameters<typeof transport.dial>[1];
  const dialled = transport.dial(multiaddr(`/ip4/127.0.0.1/tcp/${address.port}`), options);
  abort.abort();
  await dialled.catch(() => {});
  // The error comes with the abort, so before another connection has been made and ended.
  const later = connect(address.port, "127.0.0.1", () => later.destroy());
  later.on("close", () => process.exit(0));
});
