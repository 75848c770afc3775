/**
 * Uncaught errors: which of them a node survives; all others end it.
 *
 * A process that continues after an error of unknown origin may have lost half of a step. If it ends, it starts again
 * from its disk, and no visitor loses a session or a place. The survivable ones are known by name: errors of a
 * connection between nodes that ended while a library still used it.
 */

import type { Log } from "../node/log.ts";
import { EXIT } from "./exit.ts";

/** What libp2p throws, in a callback of its own, when it uses a connection or a stream that has ended meanwhile. */
const ENDED_UNDER_A_LIBRARY: ReadonlySet<string> = new Set([
  "AbortError",
  "ConnectionClosedError",
  "ConnectionClosingError",
  "ConnectionFailedError",
  "MuxerClosedError",
  "StreamAbortedError",
  "StreamBufferError",
  "StreamResetError",
  "StreamStateError",
  "TimeoutError",
  "UnexpectedEOFError",
]);

/** What the system says of a socket whose other end is gone. */
const GONE: ReadonlySet<string> = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTCONN",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Whether a node survives `error`. */
export function isSurvived(error: unknown): boolean {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return ENDED_UNDER_A_LIBRARY.has(String(name)) || GONE.has(String(code));
}

/** Logs errors that nothing catches, and ends the process unless they are known. */
export function watchUncaught(log: Log): void {
  process.on("uncaughtException", (error) => {
    const fields = { error: String(error), stack: error.stack };
    if (isSurvived(error)) {
      log.warn(fields, "a connection ended while a library used it: the node continues");
      return;
    }
    log.error(fields, "an uncaught error: the process ends at once, as by kill -9");
    endNow();
  });
}

/** Ends the process without saving anything. */
export function endNow(): never {
  process.exit(EXIT.failed);
}
