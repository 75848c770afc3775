/**
 * The shape of a command and of a call of it.
 *
 * `commands.ts` is the table of all commands; parser, help and docs/settings.md read it. An option is a flag with its
 * help; the code that uses its value checks it.
 */

import type { Problem } from "../node/config/problem.ts";
import type { Io } from "./io.ts";

export interface Option {
  /** Without the two hyphens. */
  readonly flag: string;
  /** The placeholder of the value in help; a switch has none. */
  readonly placeholder?: string;
  /** One phrase: what it sets, with unit and legal values. */
  readonly help: string;
  /** Text of the default. */
  readonly fallback?: string;
  /** May be given more than once. */
  readonly repeatable?: true;
  /** Left out of help. */
  readonly hidden?: true;
}

export interface Invocation {
  /** The command's full name, such as `room list`. */
  readonly command: string;
  /** Values by flag without hyphens, in order; a switch has the value `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
  /** Problems with the arguments. `serve` and `config check` report them together with the settings' problems. */
  readonly problems: readonly Problem[];
  readonly io: Io;
}

/** A line of help: a name, what it means, and its default. */
export interface Entry {
  readonly term: string;
  readonly text: string;
  readonly fallback?: string;
}

export interface HelpList {
  readonly title: string;
  readonly entries: readonly Entry[];
}

export interface Command {
  /** One or two words. */
  readonly name: string;
  /** The arguments as help shows them, such as `NAME field=value…`. */
  readonly synopsis: string;
  /** How many arguments it takes. */
  readonly positionals: { readonly min: number; readonly max: number };
  /** One line. */
  readonly summary: string;
  /** Further paragraphs of help. */
  readonly notes?: readonly string[];
  /** A list at the end of help. */
  readonly list?: () => Promise<HelpList>;
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  /** Whether it reports `problems` of the invocation itself; else `main.ts` does, before it runs. */
  readonly reportsProblems?: true;
  /** Runs it; returns the exit code. Its code is loaded here: no command pays for that of another one. */
  readonly run: (invocation: Invocation) => Promise<number>;
}

/** How many arguments a command takes. */
export const NONE: Command["positionals"] = { min: 0, max: 0 };
export const ONE: Command["positionals"] = { min: 1, max: 1 };
/** Most fields in one command: a room has fewer. */
export const FIELDS_MAX = 64;

/** Whether a switch is on. */
export function isOn(invocation: Invocation, flag: string): boolean {
  return invocation.flags.get(flag)?.at(-1) === "true";
}

/** The value of a flag, or undefined. */
export function flagValue(invocation: Invocation, flag: string): string | undefined {
  return invocation.flags.get(flag)?.at(-1);
}
