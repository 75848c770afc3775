/**
 * A draw as a file that anybody can check: what its nodes committed to and revealed, and who was drawn, in order.
 *
 * The first line is a statement (JSON, signed by the node that wrote the file); every other line is a visitor's id, the
 * first one first. docs/draw.md describes it for those who write a program of their own.
 */

import { z } from "zod";
import type { NodeId } from "../../../mesh/core/ids.ts";
import { nodeId, whole } from "../../../mesh/core/wire/shapes.ts";
import type { Checker } from "../../notary.ts";
import { Sha256 } from "../../sha256.ts";
import { isSignedBy, moment, readStatement, text } from "../statement.ts";
import { commitmentOf, rankOf, seedOf } from "./draw-seed.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.string().max(200);
const NODES_MAX = 64;
/** Characters of a field of a commitment. */
const FIELD_MAX = 400;

export const COMMITMENT_SHAPE = z.object({
  anteroom: z.literal("draw commitment 1"),
  mesh: text,
  room: text,
  event: text,
  start: moment,
  /** Which public value was announced, in words; empty for none. */
  announced: line,
  /** The SHA-256 of the secret. */
  commitment: hash,
  made: moment,
  node: nodeId,
});
export type DrawCommitment = Readonly<z.output<typeof COMMITMENT_SHAPE>>;

export const LIST_SHAPE = z.object({ count: whole, digest: hash });
/** How many are drawn, and the SHA-256 of their ids in ascending order, each followed by a line break. */
export type DrawList = Readonly<z.output<typeof LIST_SHAPE>>;

export const DRAW_HEAD_SHAPE = z.object({
  anteroom: z.literal("draw 1"),
  mesh: text,
  room: text,
  name: text,
  event: text,
  start: moment,
  announced: line,
  value: line,
  /** Of every node that took part, as it signed it. */
  commitments: z
    .array(z.record(text, z.string().max(FIELD_MAX)))
    .max(NODES_MAX)
    .readonly(),
  /** Of those whose secrets count. */
  secrets: z
    .array(z.object({ node: nodeId, secret: hash }))
    .max(NODES_MAX)
    .readonly(),
  list: LIST_SHAPE,
  seed: hash,
  node: nodeId,
});
export type DrawHead = Readonly<z.output<typeof DRAW_HEAD_SHAPE>>;

/**
 * `damaged`: it cannot be read. `forged`: a signature is wrong. `broken`: the parts contradict each other. `missing`: an id that was asked for is not on the list.
 */
export type DrawVerdict = "valid" | "damaged" | "forged" | "broken" | "missing";

export interface DrawFinding {
  readonly verdict: DrawVerdict;
  /** Why it is not valid. */
  readonly problem?: string;
  readonly head?: DrawHead;
  /** Nodes that committed to a secret that does not count. */
  readonly leftOut?: readonly string[];
  /** Nodes whose secrets count, and that committed to them only after the start. */
  readonly late?: readonly string[];
  /** For each id that was asked for: the visitor's number in the draw. */
  readonly places?: readonly { readonly id: string; readonly number: number }[];
}

/** Checks the text of a file, and finds the numbers of `asked`, which are ids of visitors. */
export function checkDraw(file: string, asked: readonly string[], checker: Checker): DrawFinding {
  const [first = "", ...rest] = file.split("\n");
  const ids = rest.at(-1) === "" ? rest.slice(0, -1) : rest;
  const reading = readStatement(first, DRAW_HEAD_SHAPE);
  if (!("statement" in reading)) return { verdict: "damaged", problem: `its first line ${reading.problem}` };
  const head = reading.statement.fields;
  if (!isSignedBy(reading.statement, head.node, checker))
    return { verdict: "forged", problem: `node ${head.node} has not signed its first line` };
  const problem = seedProblem(head, checker) ?? listProblem(head, ids);
  if (problem !== undefined) return { ...problem, head };
  const counted = new Set(head.secrets.map(({ node }) => node));
  const leftOut = head.commitments.flatMap(({ node = "" }) => (counted.has(node as NodeId) ? [] : [node]));
  const late = head.commitments.flatMap(({ node = "", made = "" }) =>
    counted.has(node as NodeId) && Date.parse(made) >= Date.parse(head.start) ? [node] : [],
  );
  const places = asked.map((id) => ({ id, number: ids.indexOf(id) + 1 }));
  const missing = places.find(({ number }) => number === 0);
  if (missing === undefined) return { verdict: "valid", head, leftOut, late, places };
  return { verdict: "missing", problem: `the id ${missing.id} is not on the list`, head, leftOut, late };
}

type Fault = Pick<DrawFinding, "verdict" | "problem"> | undefined;

function seedProblem(head: DrawHead, checker: Checker): Fault {
  const { mesh, room, event, start, announced, value } = head;
  const committed = new Map<string, string>();
  for (const commitment of head.commitments) {
    const reading = readStatement(JSON.stringify(commitment), COMMITMENT_SHAPE);
    if (!("statement" in reading)) return broken(`a commitment ${reading.problem}`);
    const said = reading.statement.fields;
    const { node } = said;
    if (!isSignedBy(reading.statement, node, checker))
      return { verdict: "forged", problem: `node ${node} has not signed its commitment` };
    const isOfThis = said.mesh === mesh && said.room === room && said.event === event && said.start === start;
    if (!isOfThis || said.announced !== announced) return broken(`the commitment of node ${node} is of another draw`);
    if (committed.has(node)) return broken(`node ${node} has two commitments`);
    committed.set(node, said.commitment);
  }
  if ((announced === "") !== (value === ""))
    return broken(
      announced === "" ? "no public value was announced" : "the public value that was announced is missing",
    );
  if (new Set(head.secrets.map(({ node }) => node)).size < head.secrets.length) return broken("a node has two secrets");
  for (const { node, secret } of head.secrets)
    if (committed.get(node) !== commitmentOf(secret))
      return broken(`the secret of node ${node} is not the one that it committed to`);
  const terms = { mesh, room, event, startMs: Date.parse(start), announced };
  const secrets = head.secrets.map(({ node, secret }) => [node, secret] as const);
  return seedOf(terms, secrets, value) === head.seed ? undefined : broken("the seed is not that of its secrets");
}

function listProblem({ seed, list }: DrawHead, ids: readonly string[]): Fault {
  if (ids.length !== list.count)
    return broken(`it has ${ids.length} ids where ${list.count} were on the list when it was closed`);
  let before = "";
  for (const [at, id] of ids.entries()) {
    if (!ID.test(id)) return broken(`line ${at + 2} is not an id`);
    const rank = rankOf(seed, id);
    if (rank === before) return broken(`the id ${id} is on the list twice`);
    if (rank < before) return broken(`the id ${id} (number ${at + 1}) is not where the seed puts it`);
    before = rank;
  }
  const digest = new Sha256();
  for (const id of [...ids].sort()) digest.add(`${id}\n`);
  return digest.hex() === list.digest
    ? undefined
    : broken("the ids are not those that were on the list when it was closed");
}

const ID = /^[0-9a-f]{13}$/;

function broken(problem: string): Fault {
  return { verdict: "broken", problem };
}
