/**
 * The options of `anteroom load`: one table for its parser and its help.
 *
 * Without `--large` a run stays within moderate amounts: a slip of a digit should not take a site down.
 */

import { type Checked, checked, type Problem } from "../../node/config/problem.ts";
import {
  countFrom,
  durationFrom,
  numberTo,
  type Reading,
  readSwitch,
  readText,
  shareOf,
} from "../../node/config/readers.ts";
import type { Invocation, Option } from "../command.ts";
import type { ArrivalPlan } from "../crowd/arrivals.ts";
import { type OptionTable, optionsOf, readOptions, SEED_OPTION, type ValuesOf } from "../option-table.ts";
import {
  amountProblems,
  bothProblem,
  LARGE,
  MODERATE,
  OWN_FLAG,
  ownProblem,
  pathProblems,
  siteOf,
} from "./option-checks.ts";

const PATH_OPTION: Option = {
  flag: "path",
  placeholder: "PATH",
  help: "a path that visitors look at, repeatable; the first one is where they arrive. By default the path of URL",
  repeatable: true,
};

const TABLE = {
  own: { flag: OWN_FLAG, read: readSwitch, fallback: "false", help: "confirm that the site is yours to load" },
  rate: {
    flag: "rate",
    read: readRate,
    placeholder: "N|FROM..TO",
    fallback: "60",
    help: `new visitors a minute: flat, or from one rate to another; up to ${MODERATE.perMinute}`,
  },
  atOnce: {
    flag: "at-once",
    read: countFrom(0, LARGE.atOnce),
    placeholder: "N",
    fallback: "0",
    help: `so many visitors at the start, in place of --rate; up to ${MODERATE.atOnce}`,
  },
  large: {
    flag: "large",
    read: readSwitch,
    fallback: "false",
    help: `allow up to ${LARGE.perMinute} new visitors a minute, ${LARGE.atOnce} at once`,
  },
  durationMs: {
    flag: "duration",
    read: durationFrom(1_000),
    placeholder: "TIME",
    fallback: "5m",
    help: "how long the run lasts at most; it ends when all visitors have left",
  },
  arrive: {
    flag: "arrive",
    read: durationFrom(0),
    placeholder: "TIME",
    fallback: "0s",
    help: "how long visitors arrive, at --rate; 0s for the whole run",
  },
  stayMs: {
    flag: "stay",
    read: durationFrom(0),
    placeholder: "TIME",
    fallback: "2m",
    help: "how long visitors stay on the site, on average",
  },
  thinkMs: {
    flag: "think",
    read: durationFrom(100),
    placeholder: "TIME",
    fallback: "10s",
    help: "how long visitors look at a page, on average",
  },
  withoutScript: {
    flag: "without-js",
    read: shareOf,
    placeholder: "PART",
    fallback: "0.05",
    help: "part of the visitors whose browsers run no JavaScript",
  },
  patienceMs: {
    flag: "patience",
    read: durationFrom(0),
    placeholder: "TIME",
    fallback: "3m",
    help: "how long visitors who lose patience wait, on average; one of ten does",
  },
  seed: SEED_OPTION,
  insecure: {
    flag: "insecure",
    read: readSwitch,
    fallback: "false",
    help: "do not check the site's certificate",
  },
  errorRate: {
    flag: "max-error-rate",
    read: optional(shareOf),
    placeholder: "PART",
    fallback: "",
    help: "exit code 3 if a larger part of the requests failed",
  },
  p95Ms: {
    flag: "p95-ms",
    read: optional(numberTo(3_600_000)),
    placeholder: "MS",
    fallback: "",
    help: "exit code 3 if 5 of 100 waiting pages, polls or pages of the site took longer",
  },
  inside: {
    flag: "max-inside",
    read: optional(countFrom(0, LARGE.visitors)),
    placeholder: "N",
    fallback: "",
    help: "exit code 3 if more visitors were inside at once",
  },
  html: {
    flag: "html",
    read: readText,
    placeholder: "FILE",
    fallback: "",
    help: "write a page with plots to this file",
  },
  json: { flag: "json", read: readSwitch, fallback: "false", help: "end with the report as one line of JSON" },
} as const satisfies OptionTable;

export type LoadOptions = ValuesOf<typeof TABLE> & {
  readonly url: string;
  /** Scheme, host and port of `url`. */
  readonly site: string;
  readonly paths: readonly string[];
  readonly arrivals: ArrivalPlan;
};

/** The flags of `load`. */
export const LOAD_OPTIONS: readonly Option[] = [...optionsOf(TABLE), PATH_OPTION];

/** The options of the invocation, or all problems with them. */
export function readLoadOptions({
  flags,
  positionals,
}: Pick<Invocation, "flags" | "positionals">): Checked<LoadOptions> {
  const { values, problems } = readOptions(TABLE, { flags });
  const [url = ""] = positionals;
  const site = siteOf(url);
  const given = flags.get(PATH_OPTION.flag) ?? [];
  const paths = given.length > 0 ? given : [site.path];
  const { atOnce, arrive, durationMs } = values;
  const forMs = arrive === 0 ? durationMs : Math.min(arrive, durationMs);
  const arrivals: ArrivalPlan =
    atOnce > 0 ? { kind: "at-once", visitors: atOnce } : { kind: "rate", ...values.rate, forMs };
  const all: Problem[] = [
    ...(values.own ? [] : [ownProblem(url)]),
    // Without any address, that is said already.
    ...(url === "" ? [] : site.problems),
    ...pathProblems(given),
    ...problems,
    ...(atOnce > 0 && flags.has("rate") ? [bothProblem(atOnce)] : []),
    ...amountProblems(arrivals, values.large),
  ];
  return checked({ ...values, url, site: site.site, paths, arrivals }, all);
}

/** `60` or `10..600`, visitors a minute. */
function readRate(text: string): Reading<{ readonly from: number; readonly to: number }> {
  const [, first, second] = /^(\d{1,7}(?:\.\d{1,3})?)(?:\.\.(\d{1,7}(?:\.\d{1,3})?))?$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(second ?? first)];
  if (first !== undefined && from + to > 0) return { value: { from, to } };
  const repair = "write visitors a minute, such as 60, or 10..600 for a rate that changes";
  return { complaint: { problem: "is not a rate above 0", repair } };
}

function optional<Value>(read: (text: string) => Reading<Value>): (text: string) => Reading<Value | undefined> {
  return (text) => (text === "" ? { value: undefined } : read(text));
}
