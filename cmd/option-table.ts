/**
 * Flags with readers: one table of a command's options for its parser and its help.
 */

import { type Problem, problemAt } from "../node/config/problem.ts";
import { countFrom, type Reader, readNames } from "../node/config/readers.ts";
import type { Invocation, Option } from "./command.ts";

export interface TypedOption<Value> extends Option {
  readonly read: Reader<Value>;
  readonly fallback: string;
}

export type OptionTable = Readonly<Record<string, TypedOption<unknown>>>;

/** The values of a table, by its keys. */
export type ValuesOf<Table extends OptionTable> = {
  readonly [Key in keyof Table]: Table[Key] extends TypedOption<infer Value> ? Value : never;
};

/** The options as help and parser take them; a switch shows no default. */
export function optionsOf(table: OptionTable): readonly Option[] {
  return Object.values(table).map(({ flag, help, placeholder, fallback }) =>
    placeholder === undefined ? { flag, help } : { flag, help, placeholder, ...(fallback !== "" && { fallback }) },
  );
}

/** The values of the flags, the default where a value cannot be read, and all problems. */
export function readOptions<Table extends OptionTable>(
  table: Table,
  { flags }: Pick<Invocation, "flags">,
): { readonly values: ValuesOf<Table>; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const read = ({ flag, fallback, read: reader }: TypedOption<unknown>): unknown => {
    const text = flags.get(flag)?.at(-1);
    const reading = reader(text ?? fallback);
    if ("value" in reading) return reading.value;
    problems.push(problemAt(`--${flag}`, text, reading.complaint));
    return read({ flag: "", fallback, read: reader, help: "" });
  };
  const entries = Object.entries<TypedOption<unknown>>(table).map(([key, option]) => [key, read(option)]);
  // Each key has what its own reader returned.
  return { values: Object.fromEntries(entries) as ValuesOf<Table>, problems };
}

/** Each is a process of some 100 MB, all on one host. */
const NODES_MAX = 20;

/** Options of the commands that start nodes and visitors of their own; each command has its defaults. */
export const NODES_OPTION = {
  flag: "nodes",
  read: countFrom(1, NODES_MAX),
  placeholder: "N",
  help: `nodes of the mesh, 1 to ${NODES_MAX}; each is its own process`,
} as const;

export const LOCALITIES_OPTION = {
  flag: "localities",
  read: readNames,
  placeholder: "NAMES",
  help: "localities of the nodes, separated by commas",
} as const;

export const SEED_OPTION = {
  flag: "seed",
  read: countFrom(0, 2 ** 31),
  placeholder: "N",
  fallback: "1",
  help: "seed of all that is drawn",
} as const;

/** The problem of more localities than nodes. */
export function tooManyLocalities(localities: readonly string[], nodes: number): Problem[] {
  if (localities.length <= nodes) return [];
  const problem = `has more names than there are nodes: ${nodes}`;
  const repair = `write --nodes ${localities.length} or more`;
  return [problemAt("--localities", localities.join(), { problem, repair })];
}
