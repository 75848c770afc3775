/**
 * `anteroom doctor [URL]`: what is wrong with a running site, asked from outside as one visitor, and inside by the admin
 * API. It changes nothing.
 */

import { type Problem, problemAt } from "../../node/config/problem.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { count, padOrCut, styled, type TableOptions, tableOptions, wrap } from "../print.ts";
import { pathProblems, siteOf } from "../rehearsal/option-checks.ts";
import { type Finding, problem, warning } from "./finding.ts";
import { lookInside } from "./inside.ts";
import { insideFindings } from "./inside-checks.ts";
import { lookFromOutside, type Outside } from "./outside.ts";
import { outsideFindings } from "./outside-checks.ts";
import { paymentFindings } from "./payment-checks.ts";

/** The worst first. */
const VERDICTS = ["problem", "warning", "ok"] as const;
const STYLES = { problem: "red", warning: "yellow", ok: "dim" } as const;
const WIDTHS = { verdict: 7, check: 8 };
const INDENT = " ".repeat(WIDTHS.verdict + WIDTHS.check + 4);

export async function doctor(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { url, calls } = readArguments(invocation);
  const outside = url && (await lookFromOutside(url));
  // After the visit: the node may warn of what it has seen of it.
  const inside = await askedInside(invocation, outside, calls);
  const seen =
    outside === undefined
      ? [warning("site", "it was not asked from outside", "name the address that visitors use: anteroom doctor URL")]
      : outsideFindings(outside, Date.now());
  // What the node has noticed of a proxy outweighs that this one visit went well.
  const isDoubted = ({ check, verdict }: Finding) => verdict === "ok" && inside.some((each) => each.check === check);
  const all = [...seen.filter((finding) => !isDoubted(finding)), ...inside];
  const findings = VERDICTS.flatMap((verdict) => all.filter((finding) => finding.verdict === verdict));
  const isWell = findings.every(({ verdict }) => verdict !== "problem");
  if (isOn(invocation, "json")) io.answer(JSON.stringify({ ok: isWell, findings }));
  else io.answer(textOf(findings, tableOptions(io)));
  return isWell ? EXIT.ok : EXIT.checkFailed;
}

/** The site, and where servers call it. Throws `Failure` with all problems. */
function readArguments({ positionals: [address], flags }: Invocation) {
  const paths = flags.get("webhook") ?? [];
  const problems: Problem[] = [
    ...(address === undefined ? [] : siteOf(address).problems),
    ...pathProblems(paths, "--webhook"),
  ];
  if (address === undefined && paths.length > 0) {
    const repair = "write the address of the site as well, such as https://shop.example.com/";
    problems.push(problemAt("--webhook", paths[0], { problem: "is given without URL", repair }));
  }
  if (problems.length > 0) throw new Failure("nothing was asked", { problems });
  return {
    url: address === undefined ? undefined : new URL(address),
    calls: paths.map((path) => new URL(path, address)),
  };
}

/** A node that cannot be asked is a finding like others: what is seen from outside is worth as much then. */
async function askedInside(
  invocation: Invocation,
  outside: Outside | undefined,
  calls: readonly URL[],
): Promise<readonly Finding[]> {
  try {
    const inside = await lookInside(invocation);
    const page = outside?.page;
    const pageMs = page?.kind === "answer" && page.status === 200 ? page.ms : undefined;
    return [...insideFindings(inside, pageMs), ...paymentFindings(inside.rooms, calls)];
  } catch (error) {
    if (!(error instanceof Failure) || error.problems.length > 0) throw error;
    return [problem("node", error.message, error.hint)];
  }
}

function textOf(findings: readonly Finding[], { width, color }: TableOptions): string {
  const lines = findings.map(({ verdict, check, text, repair }) => {
    const marks = `${padOrCut(verdict, WIDTHS.verdict)}  ${padOrCut(check, WIDTHS.check)}  `;
    const shown = wrap(`${marks}${text}`, width, INDENT).slice(verdict.length);
    const what = styled(verdict, STYLES[verdict], color) + shown;
    return repair === undefined ? what : `${what}\n${wrap(`${INDENT}→ ${repair}`, width, `${INDENT}  `)}`;
  });
  const of = (verdict: Finding["verdict"]): number => findings.filter((each) => each.verdict === verdict).length;
  return [...lines, "", `${count(of("problem"), "problem")}, ${count(of("warning"), "warning")}, ${of("ok")} ok`].join(
    "\n",
  );
}
