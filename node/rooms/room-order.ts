/**
 * An order about a room, beside its document: to hold all new visitors, to admit every visitor, or to close it as sold
 * out. An operator gives it, or an origin, which may say only that all is sold.
 *
 * An order is operational state, and the document is declared state. Each has its own register, so nothing that
 * declares rooms (a file at a start, SIGHUP, `room apply`, `room update`) lifts an order: only another order does, or
 * the room's deletion.
 */

import { z } from "zod";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import type { Shape } from "../config/document-fields.ts";
import { timeText } from "../config/field-kinds.ts";
import type { Room } from "../config/room.ts";
import { isoOf } from "../iso-time.ts";

export const ORDERS = ["hold", "open", "sold-out"] as const;
export type OrderKind = (typeof ORDERS)[number];

export interface RoomOrder {
  readonly kind: OrderKind;
  /** When it was given, in Unix ms. */
  readonly sinceMs: number;
  /** The node at which it was given. */
  readonly node: NodeId;
}

export const OPERATOR_ORDER = z
  .object({
    order: z
      .enum(ORDERS)
      .describe("hold: all new visitors wait; open: every visitor is admitted; sold-out: nobody new is"),
    since: timeText.describe("when it was given"),
    node: z.string().describe("the node at which it was given"),
  })
  .nullable()
  .describe("an order about the room; null while it works as its document says");

/** An order as the API gives it. */
export type OrderStatus = NonNullable<Shape<typeof OPERATOR_ORDER>>;

/** The room as its order makes it work. */
export function inForce(declared: Room, order: RoomOrder | undefined): Room {
  if (order === undefined) return declared;
  if (order.kind === "hold") return { ...declared, queueAll: true, suspended: false };
  if (order.kind === "sold-out") return { ...declared, queueAll: false, suspended: false, queueingMethod: "reject" };
  return { ...declared, queueAll: false, queueingMethod: "passthrough", inviteOnly: false };
}

const KINDS = new Map(ORDERS.map((kind) => [JSON.stringify(kind), kind]));

const WORDS = { hold: "held by an operator", open: "opened by an operator", "sold-out": "closed as sold out" } as const;

/** The order in a register; undefined if there is none, or none that this version knows. */
export function orderIn(register: Register | undefined): RoomOrder | undefined {
  if (register?.document === undefined) return undefined;
  const kind = KINDS.get(register.document);
  if (kind === undefined) return undefined;
  return { kind, sinceMs: register.stamp.wallMs, node: register.stamp.node };
}

/** The register of an order; an empty one if there is no order. */
export function orderRegister(firstName: string, kind: OrderKind | undefined, nowMs: number): Omit<Register, "stamp"> {
  return { firstName, document: kind && JSON.stringify(kind), createdMs: nowMs };
}

/** An order as the API gives it. */
export function orderStatus(order: RoomOrder | undefined): OrderStatus | null {
  return order === undefined ? null : { order: order.kind, since: isoOf(order.sinceMs), node: order.node };
}

/** An order as a clause of text. */
export function orderText({ kind, sinceMs }: Pick<RoomOrder, "kind" | "sinceMs">): string {
  const since = `${isoOf(sinceMs).slice(0, 16).replace("T", " ")} UTC`;
  return `${WORDS[kind]} since ${since}`;
}
