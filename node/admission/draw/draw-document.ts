/**
 * A draw as a file that anybody can check: the secret, its hash that was published before, and who was drawn, in order.
 *
 * The first line is a statement (JSON, signed by the node that wrote the file); every other line is a visitor's id, the
 * first one first. docs/draw.md describes it for those who write a program of their own.
 */

import { z } from "zod";
import { nodeId, whole } from "../../../mesh/core/wire/shapes.ts";
import type { Checker } from "../../notary.ts";
import { Sha256 } from "../../sha256.ts";
import { isSignedBy, moment, readStatement, text } from "../statement.ts";
import { hashOf, rankOf, seedOf } from "./draw-seed.ts";

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const line = z.string().max(200);

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
  /** The SHA-256 of the secret, as it was published before the start. */
  hash,
  secret: hash,
  list: LIST_SHAPE,
  seed: hash,
  node: nodeId,
});
export type DrawHead = Readonly<z.output<typeof DRAW_HEAD_SHAPE>>;

/**
 * `damaged`: it cannot be read. `forged`: a signature is wrong. `broken`: the parts contradict each other. `missing`: an
 * id that was asked for is not on the list.
 */
export type DrawVerdict = "valid" | "damaged" | "forged" | "broken" | "missing";

export interface DrawFinding {
  readonly verdict: DrawVerdict;
  /** Why it is not valid. */
  readonly problem?: string;
  readonly head?: DrawHead;
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
  const problem = seedProblem(head) ?? listProblem(head, ids);
  if (problem !== undefined) return { ...problem, head };
  const places = asked.map((id) => ({ id, number: ids.indexOf(id) + 1 }));
  const missing = places.find(({ number }) => number === 0);
  if (missing === undefined) return { verdict: "valid", head, places };
  return { verdict: "missing", problem: `the id ${missing.id} is not on the list`, head };
}

type Fault = Pick<DrawFinding, "verdict" | "problem"> | undefined;

function seedProblem({ mesh, room, event, start, announced, value, hash, secret, seed }: DrawHead): Fault {
  if ((announced === "") !== (value === ""))
    return broken(
      announced === "" ? "no public value was announced" : "the public value that was announced is missing",
    );
  if (hashOf(secret) !== hash) return broken("the hash that was published is not that of the secret");
  const terms = { mesh, room, event, startMs: Date.parse(start), announced };
  return seedOf(terms, secret, value) === seed ? undefined : broken("the seed does not follow from the secret");
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
