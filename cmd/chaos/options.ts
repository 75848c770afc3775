/**
 * The options of `anteroom chaos`, and what follows from them: one table for its parser and its help.
 *
 * The lease is far shorter than a real one, so that minutes show what takes half an hour; a session is so
 * long that a node that is gone is removed before a stay ends, as with real ones.
 */

import { type Checked, checked } from "../../node/config/problem.ts";
import { countFrom, durationFrom, readSwitch } from "../../node/config/readers.ts";
import type { Invocation, Option } from "../command.ts";
import {
  LOCALITIES_OPTION,
  NODES_OPTION,
  type OptionTable,
  optionsOf,
  readOptions,
  SEED_OPTION,
  tooManyLocalities,
  type ValuesOf,
} from "../option-table.ts";
import { drawPlan, type Fault } from "./plan.ts";

/** Shorter, and there is no time for a fault. */
const DURATION_MIN_MS = 10_000;

/** Longer than the pauses of processes that share a few cores. */
export const LEASE_MS = 4_000;

/** Shortest session: a lease, a removal and a few requests fit into it. */
const SESSION_MS = 15_000;
const SESSION_MINUTES_MAX = 30;

const TABLE = {
  nodes: { ...NODES_OPTION, fallback: "5" },
  localities: { ...LOCALITIES_OPTION, fallback: "sjc,lon,del" },
  durationMs: {
    flag: "duration",
    read: durationFrom(DURATION_MIN_MS),
    placeholder: "TIME",
    fallback: "5m",
    help: "how long visitors come and faults happen; from 10s",
  },
  seed: SEED_OPTION,
  minuteMs: {
    flag: "minute-ms",
    read: countFrom(1_000, 60_000),
    placeholder: "MS",
    fallback: "5000",
    help: "length of a minute in ms, 1000 to 60000",
  },
  json: { flag: "json", read: readSwitch, fallback: "false", help: "end with the verdict as one line of JSON" },
} as const satisfies OptionTable;

export type ChaosOptions = ValuesOf<typeof TABLE> & { readonly plan: readonly Fault[] };

/** The flags of `chaos`. */
export const CHAOS_OPTIONS: readonly Option[] = optionsOf(TABLE);

/** The options of the invocation, or all problems with them. */
export function readChaosOptions({ flags }: Pick<Invocation, "flags">): Checked<ChaosOptions> {
  const { values, problems } = readOptions(TABLE, { flags });
  const { nodes, durationMs, minuteMs, seed } = values;
  const localities = flags.has(TABLE.localities.flag) ? values.localities : values.localities.slice(0, nodes);
  const plan = drawPlan({ nodes, durationMs, seed, leaseMs: LEASE_MS, idleMs: idleMs(minuteMs) });
  return checked({ ...values, localities, plan }, [...problems, ...tooManyLocalities(localities, nodes)]);
}

/** `session_duration` of the run's room, in its minutes: two at least, so that it outlives a cut by more than a lease. */
export function sessionMinutes(minuteMs: number): number {
  return Math.min(SESSION_MINUTES_MAX, Math.max(2, Math.ceil(SESSION_MS / minuteMs)));
}

/** The command that repeats the run. */
export function commandLine({ nodes, localities, durationMs, minuteMs, seed }: ChaosOptions): string {
  return [
    `anteroom chaos --nodes ${nodes} --localities ${localities.join()} --duration ${durationMs / 1_000}s`,
    `--minute-ms ${minuteMs} --seed ${seed}`,
  ].join(" ");
}

/** How long the share of a removed node is idle: until all its sessions must be over. */
function idleMs(minuteMs: number): number {
  return LEASE_MS + (sessionMinutes(minuteMs) + 1) * minuteMs + minuteMs / 10;
}
