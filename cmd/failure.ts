/**
 * Why a command failed, with the repair; `main.ts` prints it and exits with its code.
 */

import type { Problem } from "../node/config/problem.ts";
import { EXIT } from "./exit.ts";

export interface FailureOptions {
  /** The repair, as an instruction. */
  readonly hint?: string;
  /** All problems with what was given; with problems the exit code is that of wrong usage. */
  readonly problems?: readonly Problem[];
  /** A code for scripts. */
  readonly reason?: string;
  /** Overrides the exit code that follows from the rest. */
  readonly exit?: number;
  readonly cause?: unknown;
}

export class Failure extends Error {
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];
  readonly exit: number;
  readonly reason: string | undefined;

  constructor(message: string, { hint, problems = [], reason, exit, cause }: FailureOptions = {}) {
    super(message, { cause });
    this.name = "Failure";
    this.hint = hint;
    this.problems = problems;
    this.reason = reason;
    this.exit = exit ?? (problems.length > 0 ? EXIT.usage : EXIT.failed);
  }
}

/** The code of a system error, such as ENOENT; empty for errors without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
