/**
 * A barrier in place of a pause: after it, what was on its way over loopback has come, with all that follows from it.
 *
 * All sockets of a test share one event loop. A marker that goes to and fro between two sockets of its own comes after
 * what was sent before it; each step that follows (a gate that sends on, an origin that answers) takes one round more.
 * So rounds are counted and not time: on a slow machine they take longer, and as much happens in them.
 * `settled.test.ts` shows that they are enough for a way through several gates.
 */

import { setImmediate as turnEnd } from "node:timers/promises";

/** Several times what the longest way of a test takes: TLS, HTTP/2, a gate and its origin. */
export const ROUNDS = 24;

let marker: Promise<() => Promise<void>> | undefined;

/** Waits until all that is on its way has come. */
export async function settled(rounds = ROUNDS): Promise<void> {
  marker ??= connected();
  const toAndFro = await marker;
  for (let round = 0; round < rounds; round += 1) {
    await toAndFro();
    await turnEnd();
  }
}

/** Two connected sockets; a call sends a byte there and waits until it is back. */
async function connected(): Promise<() => Promise<void>> {
  const onTheWay: (() => void)[] = [];
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket, bytes) => void socket.write(bytes) },
  });
  server.unref();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port,
    socket: {
      data(_, bytes) {
        for (const back of onTheWay.splice(0, bytes.length)) back();
      },
    },
  });
  socket.unref();
  return () =>
    new Promise((back) => {
      onTheWay.push(back);
      socket.write("x");
    });
}
