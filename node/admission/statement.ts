/**
 * A signed statement: a JSON object that anybody can read, keep and check.
 *
 * The signature covers the object without its `signature`, written without blanks in the order of its fields. So a
 * statement survives being pretty-printed. Its first field says what it is: no other thing that a node signs begins
 * like it, and a statement of one kind is never valid as another.
 */

import { z } from "zod";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { Checker, Notary } from "../notary.ts";

/** Characters of the longest statement: the list of the nodes of the largest mesh. */
const CHARS_MAX = 200_000;

/** Characters of a text in a statement. */
const TEXT_MAX = 128;
export const text = z.string().max(TEXT_MAX);

/** A moment as ISO 8601 text in UTC, with ms. */
export const moment = z.iso.datetime({ precision: 3 });

export interface Statement<Fields> {
  readonly fields: Fields;
  /** All of it, in the one form in which it is signed and digested. */
  readonly text: string;
  /** Without the signature. */
  readonly signedText: string;
  readonly signature: string;
}

export type StatementReading<Fields> = { readonly statement: Statement<Fields> } | { readonly problem: string };

/** The statement with the signature of this node. */
export function signedStatement(fields: object, notary: Pick<Notary, "sign">): string {
  return withSignature(JSON.stringify(fields), (text) => notary.sign(text));
}

/** Reads a statement of one shape; its signature is not checked. */
export function readStatement<Fields>(text: string, shape: z.ZodType<Fields>): StatementReading<Fields> {
  if (text.length > CHARS_MAX) return { problem: `is longer than ${CHARS_MAX.toLocaleString("en-US")} characters` };
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    // A cut or changed file is an expected outcome; the caller says which text it was.
    return { problem: "is not JSON" };
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return { problem: "is not a JSON object" };
  const { signature, ...fields } = read as Record<string, unknown>;
  if (typeof signature !== "string") return { problem: "has no signature" };
  const checked = shape.safeParse(fields);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return { problem: `has a wrong field ${issue?.path.join(".") || "at its top"}` };
  }
  const signedText = JSON.stringify(fields);
  return {
    statement: { fields: checked.data, signedText, signature, text: withSignature(signedText, () => signature) },
  };
}

/** Whether the node that a statement names has signed it. */
export function isSignedBy(
  { signedText, signature }: Pick<Statement<unknown>, "signedText" | "signature">,
  node: NodeId,
  checker: Checker,
): boolean {
  return checker.verify(node, signedText, signature);
}

function withSignature(text: string, signatureOf: (text: string) => string): string {
  return `${text.slice(0, -1)},"signature":${JSON.stringify(signatureOf(text))}}`;
}
