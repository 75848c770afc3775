/**
 * Errors that reached nobody: which of them a node survives, and that all others end it.
 *
 * A process that goes on after an error of unknown origin may have lost half of a step. Ended, it starts again from its disk, and nobody
 * loses a stay or a place. What is survived is known by name: faults of a connection between nodes that ended while a library still used it.
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

/** Whether a node goes on after `error`. */
export function isSurvived(error: unknown): boolean {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return ENDED_UNDER_A_LIBRARY.has(String(name)) || GONE.has(String(code));
}

/** Has errors that nobody catches logged, and the process ended unless they are known. */
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
