/**
 * Reads a file that a user has named, and never blocks: opening a pipe without a writer takes for ever.
 *
 * A pipe that the shell has opened (`<(command)`) and stdin have a writer, and can be read once. A file that is read
 * again, as at SIGHUP, must be a regular file.
 */

import { createReadStream, readFileSync, statSync } from "node:fs";
import type { Readable } from "node:stream";

/** Codes of files that are refused here, in addition to those of the file system. */
export const NOT_A_FILE = "NOT_A_FILE";
export const READ_ONCE = "READ_ONCE";

export interface HowRead {
  /** Whether it is read more than once. */
  readonly isReadAgain?: boolean;
}

const STDIN = 0;

/**
 * The text of the file at `path`, or of stdin for `-`. Throws as the file system does, or with one of the codes above.
 */
export function readFile(path: string, { isReadAgain = false }: HowRead = {}): string {
  const isOpen = path === "-" || /^\/(?:dev\/stdin$|dev\/fd\/|proc\/self\/fd\/)/.test(path);
  if (isOpen && isReadAgain) throw refused(READ_ONCE, `${path} can be read only once`);
  if (!isOpen && isOther(path)) throw refused(NOT_A_FILE, `${path} is not a regular file`);
  return readFileSync(path === "-" ? STDIN : path, "utf8");
}

/** The same piece by piece. Errors of reading come from the stream. */
export function streamFile(path: string): Readable {
  if (path === "-") return process.stdin;
  if (!/^\/(?:dev\/stdin$|dev\/fd\/|proc\/self\/fd\/)/.test(path) && isOther(path))
    throw refused(NOT_A_FILE, `${path} is not a regular file`);
  return createReadStream(path);
}

/** Whether it is a pipe, a socket or a device. The system refuses a directory; a missing file counts as empty. */
function isOther(path: string): boolean {
  const found = statSync(path);
  return !found.isFile() && !found.isDirectory() && path !== "/dev/null";
}

function refused(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
