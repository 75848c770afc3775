/**
 * The receipt of a place in line: which place a visitor has, signed by the node that was asked.
 *
 * It shows the queue key and the place that follows from it in the order of the line; under `fifo` both are the same.
 * While places are drawn it shows neither: a visitor who could compute the place would join again for a better one. It
 * names the last entry of the public log that the node knew, so that the log cannot be rewritten behind it.
 */

import { z } from "zod";
import type { NodeId, RoomId } from "../../mesh/core/ids.ts";
import { locality, nodeId, whole } from "../../mesh/core/wire/shapes.ts";
import { isoOf } from "../iso-time.ts";
import type { Checker } from "../notary.ts";

/** 96 bits. */
const ROOM_CHARS = 16;

const DAY_MS = 86_400_000;

/**
 * For how long a receipt is evidence: time enough to complain about a sale. Doubled, the keys of nodes that are long
 * gone are believed for longer; halved, a complaint after the holidays is too late.
 */
export const RECEIPT_VALID_MS = 30 * DAY_MS;

/** Characters of a text in a receipt, and in the public log. */
const TEXT_MAX = 128;
export const text = z.string().max(TEXT_MAX);

/** A moment as ISO 8601 text in UTC, with ms. */
export const moment = z.iso.datetime({ precision: 3 });

/** An entry of the log, by number and digest. */
export const logPin = z.object({ line: locality, began: moment, number: whole, digest: text });
export type LogPin = z.output<typeof logPin>;

export const RECEIPT_SHAPE = z.object({
  anteroom: z.literal("receipt 1"),
  mesh: text,
  /** A digest of the room's id; see `publicRoom`. */
  room: text,
  name: text,
  /** Which order the place is in; see `orderName`. */
  order: text,
  /** Left out while places are drawn. */
  key: whole.optional(),
  place: whole.optional(),
  /** A digest of the visitor's id, by which nobody can be admitted. */
  visitor: text,
  issued: moment,
  expires: moment,
  /** The draw in which the visitor takes part: when it is held, and the visitor's id in it. */
  draw: z.object({ start: moment, id: text }).optional(),
  /** Left out in a room without a public log. */
  log: logPin.optional(),
  node: nodeId,
});
export type Receipt = z.output<typeof RECEIPT_SHAPE>;

export interface ReceiptParts extends Pick<Receipt, "mesh" | "room" | "name" | "order" | "visitor"> {
  /** Undefined while places are drawn. */
  readonly at: { readonly key: number; readonly place: number } | undefined;
  readonly log: LogPin | undefined;
  readonly draw?: Receipt["draw"];
  readonly node: NodeId;
  readonly nowMs: number;
}

export function receiptOf({ at, log, draw, node, nowMs, ...rest }: ReceiptParts): Receipt {
  const { mesh, room, name, order, visitor } = rest;
  return {
    ...{ anteroom: "receipt 1", mesh, room, name, order },
    ...at,
    ...{ visitor, issued: isoOf(nowMs), expires: isoOf(nowMs + RECEIPT_VALID_MS) },
    ...(draw !== undefined && { draw }),
    ...(log !== undefined && { log }),
    node,
  };
}

/** The room as statements name it: the same for as long as it exists. The id itself may be the seed of its draws. */
export function publicRoom(id: RoomId, { digest }: Pick<Checker, "digest">): string {
  return digest(`room ${id}`).slice(0, ROOM_CHARS);
}
