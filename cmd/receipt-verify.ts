/**
 * `anteroom receipt verify FILE`: whether a visitor's receipt is real, and with a public log whether its place was
 * called in order. Works offline, and without a node.
 */

import { signatureChecks } from "../mesh/signatures.ts";
import { checkReceipt, type LogFinding, type ReceiptFinding } from "../node/admission/receipt-check.ts";
import { checkerOf } from "../node/notary.ts";
import { type Invocation, isOn } from "./command.ts";
import { EXIT } from "./exit.ts";
import { Failure } from "./failure.ts";
import { readInput } from "./read-input.ts";

export async function verifyReceipt(invocation: Invocation): Promise<number> {
  const { io, flags, positionals } = invocation;
  const logs = flags.get("log") ?? [];
  const texts = [...positionals, ...logs].map((path) => readInput(io, path));
  const problems = texts.flatMap((text) => (text.ok ? [] : text.problems));
  if (problems.length > 0) throw new Failure("Cannot read what is to be verified", { problems });
  const [receipt = "", ...lines] = texts.map((text) => (text.ok ? text.value : ""));
  const checker = checkerOf(signatureChecks());
  const log = logs.length === 0 ? undefined : lines.join("\n");
  const finding = checkReceipt(receipt, { log, nowMs: Date.now(), checker });
  const ok = outcomeOf(finding);
  io.answer(
    isOn(invocation, "json") ? JSON.stringify({ ok: ok === EXIT.ok, ...finding }, undefined, 2) : textOf(finding),
  );
  return ok;
}

/** The log does not say what is asked of it: that is no failed check, and no passed one. */
function outcomeOf({ verdict, log }: ReceiptFinding): number {
  if (verdict !== "valid") return EXIT.checkFailed;
  if (log === undefined || log.verdict === "called" || log.verdict === "waiting") return EXIT.ok;
  return log.verdict === "unknown" ? EXIT.failed : EXIT.checkFailed;
}

function textOf({ verdict, problem, receipt, log }: ReceiptFinding): string {
  const lines = [`receipt: ${verdict}${problem === undefined ? "" : `: ${problem}`}`];
  if (receipt !== undefined && verdict !== "forged") {
    const { name, room, mesh, key, place, order, visitor, node, issued, expires } = receipt;
    const where = key === undefined ? "a place that was not drawn yet" : `key ${key}, place ${place}`;
    lines.push(
      `    room ${name} (${room}) of mesh ${mesh}`,
      `    ${where} in order ${order}, visitor ${visitor}`,
      `    signed by node ${node} at ${issued}, evidence until ${expires}`,
    );
  }
  if (verdict === "valid" && log === undefined)
    lines.push(
      "    Whether this node is one of the site's, and whether the place was called in order, shows --log FILE.",
    );
  if (log !== undefined) lines.push(`log: ${TITLES[log.verdict]}`, ...log.words.map((sentence) => `    ${sentence}`));
  return lines.join("\n");
}

const TITLES: Readonly<Record<LogFinding["verdict"], string>> = {
  called: "called in order",
  waiting: "not called yet, and not overtaken",
  overtaken: "overtaken",
  rewritten: "rewritten",
  unknown: "cannot tell",
  damaged: "damaged",
  forged: "forged",
  foreign: "foreign",
  broken: "contradicts itself",
};
