/** Bytes to the gate and back, for what no HTTP client would send. */

import { connect } from "node:net";
import { WAIT_MAX_MS } from "./process.ts";

/**
 * Sends `bytes`, and returns all that comes back until the gate ends the connection, or until it is enough.
 *
 * Our side stays open: a client that closes its side has given up, and its request may end at any step.
 */
export function exchange(
  port: number,
  bytes: string | Buffer,
  { from = "127.0.0.1", isEnough = (_: string): boolean => false } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from, allowHalfOpen: true });
    let received = "";
    socket.setTimeout(WAIT_MAX_MS, () => socket.destroy(new Error(`No end of the answer: ${received}`)));
    socket.on("connect", () => {
      if (typeof bytes === "string") socket.write(bytes, "latin1");
      else socket.write(bytes);
    });
    socket.on("data", (data) => {
      received += data.toString("latin1");
      if (isEnough(received)) socket.destroy();
    });
    socket.on("end", () => socket.end());
    socket.on("close", (hadError) => {
      if (!hadError) resolve(received);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A reset after the answer is one way for a hostile server to end a connection.
      if (error.code === "ECONNRESET" || error.code === "EPIPE") resolve(received);
      else reject(error);
    });
  });
}
