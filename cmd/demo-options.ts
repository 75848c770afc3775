/**
 * The options of `anteroom demo`: one table for its parser and its help.
 *
 * A demo runs for a couple of real minutes, in which many short ones pass, so that a whole spike can be watched.
 */

import { type Checked, checked } from "../node/config/problem.ts";
import { countFrom, numberTo, readAddress, readSwitch } from "../node/config/readers.ts";
import type { Invocation, Option } from "./command.ts";
import {
  LOCALITIES_OPTION,
  NODES_OPTION,
  type OptionTable,
  optionsOf,
  readOptions,
  tooManyLocalities,
  type ValuesOf,
} from "./option-table.ts";

/** With fewer nodes no majority is left to continue without the dead one. */
const NODES_TO_KILL_ONE = 3;

const TABLE = {
  minutes: {
    flag: "minutes",
    read: numberTo(60),
    placeholder: "N",
    fallback: "2",
    help: "real minutes that the run lasts, up to 60",
  },
  rate: {
    flag: "rate",
    read: numberTo(1_000),
    placeholder: "N",
    fallback: "11",
    help: "new visitors per second at the top of the spike, up to 1000",
  },
  limit: {
    flag: "limit",
    read: countFrom(1, 100_000),
    placeholder: "N",
    fallback: "60",
    help: "visitors inside at once (total_active_users), 1 to 100000",
  },
  perMinute: {
    flag: "per-minute",
    read: countFrom(1, 100_000),
    placeholder: "N",
    fallback: "25",
    help: "visitors admitted per short minute (new_users_per_minute), 1 to 100000",
  },
  minuteMs: {
    flag: "minute-ms",
    read: countFrom(500, 60_000),
    placeholder: "MS",
    fallback: "5000",
    help: "length of a minute in ms, 500 to 60000",
  },
  listen: {
    flag: "listen",
    read: readAddress,
    placeholder: "ADDR",
    fallback: "127.0.0.1:8080",
    help: "address to open in a browser; a free port if the default one is taken",
  },
  nodes: { ...NODES_OPTION, fallback: "1" },
  localities: { ...LOCALITIES_OPTION, fallback: "default" },
  shopOnly: {
    flag: "shop-only",
    read: readSwitch,
    fallback: "false",
    help: "run only the shop on --listen, as an origin to try serve with, until Ctrl-C",
  },
  json: { flag: "json", read: readSwitch, fallback: "false", help: "end with the summary as one line of JSON" },
} as const satisfies OptionTable;

export type DemoOptions = ValuesOf<typeof TABLE> & {
  /** Whether `listen` was given: only the default may be replaced by a free port. */
  readonly listenGiven: boolean;
  /** Whether one node is killed half way. */
  readonly kill: boolean;
};

/** The flags of `demo`. */
export const DEMO_OPTIONS: readonly Option[] = optionsOf(TABLE);

/** The options of the invocation, or all problems with them. */
export function readDemoOptions(invocation: Pick<Invocation, "flags">): Checked<DemoOptions> {
  const { values, problems } = readOptions(TABLE, invocation);
  const { nodes, localities } = values;
  return checked(
    { ...values, listenGiven: invocation.flags.has(TABLE.listen.flag), kill: nodes >= NODES_TO_KILL_ONE },
    [...problems, ...tooManyLocalities(localities, nodes)],
  );
}
