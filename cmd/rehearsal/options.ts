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
import { type OptionTable, optionsOf, readOptions } from "../option-table.ts";
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

export interface LoadOptions {
  readonly url: string;
  /** Scheme, host and port of `url`. */
  readonly site: string;
  readonly paths: readonly string[];
  readonly arrivals: ArrivalPlan;
  /** How long the run lasts at most. */
  readonly durationMs: number;
  readonly stayMs: number;
  readonly thinkMs: number;
  /** Part of the visitors without JavaScript. */
  readonly withoutScript: number;
  /** The average patience of those who lose it. */
  readonly patienceMs: number;
  readonly seed: number;
  readonly insecure: boolean;
  readonly json: boolean;
  readonly html: string;
  readonly expected: Expected;
}

/** What the run is to show; undefined where nothing is asked. */
export interface Expected {
  readonly errorRate: number | undefined;
  readonly p95Ms: number | undefined;
  readonly inside: number | undefined;
}

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
  duration: {
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
  stay: {
    flag: "stay",
    read: durationFrom(0),
    placeholder: "TIME",
    fallback: "2m",
    help: "how long visitors stay on the site, on average",
  },
  think: {
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
  patience: {
    flag: "patience",
    read: durationFrom(0),
    placeholder: "TIME",
    fallback: "3m",
    help: "how long visitors who lose patience wait, on average; one of ten does",
  },
  seed: {
    flag: "seed",
    read: countFrom(0, 2 ** 31),
    placeholder: "N",
    fallback: "1",
    help: "seed of the arrivals and of the visitors' behaviour",
  },
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
  const forMs = Math.min(values.arrive === 0 ? values.duration : values.arrive, values.duration);
  const { atOnce } = values;
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
  const options: LoadOptions = {
    ...{ url, site: site.site, paths, arrivals, durationMs: values.duration },
    ...{ stayMs: values.stay, thinkMs: values.think, patienceMs: values.patience },
    ...{ withoutScript: values.withoutScript, seed: values.seed, insecure: values.insecure },
    ...{ json: values.json, html: values.html },
    expected: { errorRate: values.errorRate, p95Ms: values.p95Ms, inside: values.inside },
  };
  return checked(options, all);
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
