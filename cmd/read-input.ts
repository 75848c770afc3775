/** Reading the files that an operator names, with a readable reason when that fails. */

import type { Checked, Problem } from "../node/config/problem.ts";
import { messageOf } from "../node/message-of.ts";
import { codeOf } from "./failure.ts";
import type { Io } from "./io.ts";
import { type HowRead, NOT_A_FILE, READ_ONCE } from "./read-file.ts";

/** The path as problems call it: `-` is stdin. */
export function shownPath(path: string): string {
  return path === "-" ? "stdin" : path;
}

/** The text of a file, or the reason why it cannot be read. */
export function readInput(io: Pick<Io, "read">, path: string, how?: HowRead): Checked<string> {
  try {
    return { ok: true, value: io.read(path, how) };
  } catch (error) {
    // All other problems are still reported; the cause is in this one's text.
    const problem: Problem = {
      path: shownPath(path),
      problem: REASONS[codeOf(error)] ?? `cannot be read: ${messageOf(error)}`,
      repair: "name a regular file that exists and that this user may read",
    };
    return { ok: false, problems: [problem] };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be read by this user",
  EISDIR: "is a directory, not a file",
  [NOT_A_FILE]: "is a pipe, a socket or a device, not a file",
  [READ_ONCE]: "can be read only once, and is read again while the node runs",
};

export function problemsOf(result: Checked<unknown> | undefined): readonly Problem[] {
  return result === undefined || result.ok ? [] : result.problems;
}
