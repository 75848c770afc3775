/** The options of `npm run simulate`: one table for its parser and its help. */

import type { Option } from "../../cmd/command.ts";
import { optionsOf, type TypedOption } from "../../cmd/option-table.ts";
import { countFrom, readSwitch, readText } from "../../node/config/readers.ts";

/** `scenario` is read as text here: `simulate` knows their names. */
export const TABLE = {
  scenario: {
    flag: "scenario",
    read: readText,
    placeholder: "NAME",
    fallback: "harsh",
    help: "what is simulated, of the list below",
  },
  seed: {
    flag: "seed",
    read: countFrom(0, 2 ** 31),
    placeholder: "N",
    fallback: "1",
    help: "the first seed; a seed is the same run everywhere",
  },
  seeds: {
    flag: "seeds",
    read: countFrom(1, 1_000_000),
    placeholder: "COUNT",
    fallback: "1",
    help: "how many seeds, on all cores, 1 to 1000000",
  },
  changes: {
    flag: "changes",
    read: countFrom(18, 1_000_000),
    placeholder: "COUNT",
    fallback: "200",
    help: "how many changes of members, for churn",
  },
  log: { flag: "log", read: readSwitch, fallback: "false", help: "log what happens, for a single seed" },
  json: { flag: "json", read: readSwitch, fallback: "false", help: "end with the verdict as one line of JSON" },
} as const satisfies Readonly<Record<string, TypedOption<unknown>>>;

/** The flags of `simulate`. */
export const OPTIONS: readonly Option[] = [
  ...optionsOf(TABLE),
  { flag: "lines", help: "a line of JSON per seed, for the process that started this one", hidden: true },
];
