/** What must hold between the options of `anteroom load`, and how much a run may do. */

import { type Problem, problemAt } from "../../node/config/problem.ts";
import { type ArrivalPlan, expectedVisitors } from "../crowd/arrivals.ts";

/**
 * Without `--large`: ten visitors a second, and a thousand at once, which a small staging site with a gate survives.
 * Each may be raised by saying so; doubled, a forgotten digit costs twice as much.
 */
export const MODERATE = { perMinute: 600, atOnce: 1_000, visitors: 10_000 } as const;

/** With it: about what one process can play (docs/rehearse.md); more visitors come from several hosts. */
export const LARGE = { perMinute: 60_000, atOnce: 20_000, visitors: 200_000 } as const;

/** Paths that visitors look at: more than a rehearsal needs, and a list of visitors' tastes stays small. */
const PATHS_MAX = 100;

export const OWN_FLAG = "i-own-this-site";
const OWN_REPAIR = `run it against your own staging only, and add --${OWN_FLAG}: to load the site of others is an attack on it`;

export function ownProblem(url: string): Problem {
  return problemAt(`--${OWN_FLAG}`, undefined, {
    problem: `is missing: visitors would be sent to ${url === "" ? "a site" : url}, and nothing says that it is yours`,
    repair: OWN_REPAIR,
  });
}

/** Scheme, host and port of a URL, and its path. */
export function siteOf(url: string): { readonly site: string; readonly path: string; readonly problems: Problem[] } {
  const parsed = URL.parse(url);
  const isWeb = parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username + parsed.password === "";
  if (isWeb) return { site: parsed.origin, path: parsed.pathname + parsed.search, problems: [] };
  const repair = "write the address of your own site, such as https://staging.example.com/";
  // Not shown with a password in it.
  const shown = parsed !== null && parsed.password !== "" ? undefined : url;
  const problem = problemAt("URL", shown, {
    problem: "is not the address of a site without user and password",
    repair,
  });
  return { site: "", path: "/", problems: [problem] };
}

export function pathProblems(paths: readonly string[], flag = "--path"): Problem[] {
  const repair = "write a path of the site in visible ASCII, such as /shop?page=2";
  const wrong = paths
    .filter((path) => !/^\/(?!\/)[!-~]*$/.test(path) || path.includes("#") || path.length > 2_000)
    .map((path) => problemAt(flag, path, { problem: "is not a path that begins with one slash", repair }));
  if (paths.length <= PATHS_MAX) return wrong;
  return [
    ...wrong,
    problemAt(flag, paths.length, { problem: `is given more than ${PATHS_MAX} times`, repair: "leave some out" }),
  ];
}

export function bothProblem(atOnce: number): Problem {
  const repair = "leave --rate out, or --at-once";
  return problemAt("--at-once", atOnce, { problem: "is given together with --rate", repair });
}

export function amountProblems(plan: ArrivalPlan, isLarge: boolean): Problem[] {
  const most = isLarge ? LARGE : MODERATE;
  const repair = isLarge
    ? "write less; more visitors need several hosts"
    : "write less, or add --large if the site may take it";
  const visitors = Math.round(expectedVisitors(plan));
  const peak = plan.kind === "rate" ? Math.max(plan.from, plan.to) : 0;
  if (peak > most.perMinute)
    return [problemAt("--rate", peak, { problem: `is above ${most.perMinute} new visitors a minute`, repair })];
  if (plan.kind === "at-once" && visitors > most.atOnce)
    return [problemAt("--at-once", visitors, { problem: `is above ${most.atOnce} visitors`, repair })];
  if (visitors <= most.visitors) return [];
  const problem = `lets about ${visitors} visitors arrive, more than ${most.visitors}`;
  return [problemAt("--duration", undefined, { problem, repair })];
}
