/**
 * TCP whose dials can be aborted without an error that nothing can catch.
 *
 * @libp2p/tcp passes its options on to `net.connect`, the signal among them. It stops listening for errors of the
 * socket when the signal is aborted; on Bun the socket's own error comes after that. This patch passes a copy of the
 * options without the signal, so only the library sees it.
 *
 * Upstream: github.com/ChainSafe/lodestar/issues/9900 (the same, seen in a fleet on Bun). Needless once
 * test/mesh/patches/abortable-tcp.test.ts says so.
 */

import { tcp } from "@libp2p/tcp";

export function abortableTcp(): ReturnType<typeof tcp> {
  const make = tcp();
  return (components) => {
    const transport = make(components);
    const dial = transport.dial.bind(transport);
    transport.dial = (address, { signal, ...options }) =>
      dial(
        address,
        Object.defineProperty(options, "signal", { value: signal, enumerable: false }) as typeof options & {
          signal: typeof signal;
        },
      );
    return transport;
  };
}
