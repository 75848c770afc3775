/**
 * `anteroom draw …`: writes a draw for everybody to check, gives its public value, and checks such a file.
 *
 * `verify` works offline and without a node.
 */

import { signatureChecks } from "../../mesh/signatures.ts";
import { checkDraw, type DrawFinding } from "../../node/admission/draw/draw-document.ts";
import { rankOf } from "../../node/admission/draw/draw-seed.ts";
import { checkerOf } from "../../node/notary.ts";
import { adminClient, answerField } from "../admin-client.ts";
import { type Invocation, isOn } from "../command.ts";
import { EXIT } from "../exit.ts";
import { Failure } from "../failure.ts";
import { number } from "../print.ts";
import { readInput } from "../read-input.ts";

/** A node writes a million ids in seconds; on a busy host it takes longer. */
const EXPORT_MS = 60_000;

export async function exportDraw(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [name = "", event] = positionals;
  const client = adminClient(invocation, { answerMaxMs: EXPORT_MS });
  if (isOn(invocation, "json")) {
    io.answer(JSON.stringify(answerField(await client.call("GET", pathOf(name, "", event)), "draw"), undefined, 2));
    return EXIT.ok;
  }
  const [head = "", ...ids] = (await client.callForText("GET", pathOf(name, "/file", event))).trimEnd().split("\n");
  const { seed } = JSON.parse(head) as { readonly seed: string };
  io.answer([head, ...inOrder(seed, ids)].join("\n"));
  return EXIT.ok;
}

export async function giveDrawValue(invocation: Invocation): Promise<number> {
  const { io, positionals } = invocation;
  const [name = "", ...words] = positionals;
  const [event, value = event] = words.length === 2 ? words : [undefined, words[0]];
  const body = { value, ...(event !== undefined && { event }) };
  await adminClient(invocation).call("POST", pathOf(name, "/value"), body);
  io.answer(`The draw of ${name} uses ${JSON.stringify(value)}.`);
  return EXIT.ok;
}

export async function verifyDraw(invocation: Invocation): Promise<number> {
  const { io, flags, positionals } = invocation;
  const file = readInput(io, positionals[0] ?? "");
  if (!file.ok) throw new Failure("Cannot read what is to be verified", { problems: file.problems });
  const finding = checkDraw(file.value, flags.get("id") ?? [], checkerOf(signatureChecks()));
  const ok = finding.verdict === "valid";
  io.answer(isOn(invocation, "json") ? JSON.stringify({ ok, ...finding }, undefined, 2) : textOf(finding));
  return ok ? EXIT.ok : EXIT.checkFailed;
}

function inOrder(seed: string, ids: readonly string[]): string[] {
  const ranked = ids.map((id) => [rankOf(seed, id), id] as const);
  return ranked.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, id]) => id);
}

function pathOf(name: string, rest: string, event?: string): string {
  const query = event === undefined ? "" : `?event=${encodeURIComponent(event)}`;
  return `/v1/draws/${encodeURIComponent(name)}${rest}${query}`;
}

function textOf({ verdict, problem, head, places = [] }: DrawFinding): string {
  const lines = [`draw: ${verdict}${problem === undefined ? "" : `: ${problem}`}`];
  if (head !== undefined && verdict !== "forged") {
    const { name, room, mesh, event, start, announced, value, hash, list, seed } = head;
    lines.push(
      `    event ${event} of room ${name} (${room}) of mesh ${mesh}, at ${start}`,
      `    ${number(list.count)} visitors, list ${list.digest}`,
      `    seed ${seed}, from the secret${announced === "" ? "" : ` and ${announced}: ${value}`}`,
      `    published before the start, if you noted the same: ${hash}`,
    );
  }
  for (const { id, number: at } of places) lines.push(`id ${id}: number ${number(at)}`);
  return lines.join("\n");
}
