/**
 * What an operator has ordered of a room beside its document: to hold everybody, or to let everybody in.
 *
 * An order is operational state, and the document is declared state. Each has a register of its own, so that nothing that declares
 * rooms (a file at a start, SIGHUP, `room apply`, `room update`) lifts an order: only another order does, or the room's deletion.
 */

import type { NodeId } from "../../mesh/core/ids.ts";
import type { Register } from "../../mesh/core/replica/registers.ts";
import type { Room } from "../config/room.ts";

export type OrderKind = "hold" | "open";

export interface RoomOrder {
  readonly kind: OrderKind;
  /** When it was given, in unix ms. */
  readonly sinceMs: number;
  /** Where it was given. */
  readonly node: NodeId;
}

/** What an operator has ordered of a room; it stays until the room is resumed, or another order is given. */
export interface OrderStatus {
  readonly order: "hold" | "open";
  /** ISO 8601. */
  readonly since: string;
  /** The node that the order was given to. */
  readonly node: string;
}

/** The room as its order makes it. */
export function inForce(declared: Room, order: RoomOrder | undefined): Room {
  if (order === undefined) return declared;
  return order.kind === "hold"
    ? { ...declared, queueAll: true, suspended: false }
    : { ...declared, queueAll: false, queueingMethod: "passthrough" };
}

/** The order in a register; undefined if there is none, or none that this version knows. */
export function orderIn(register: Register | undefined): RoomOrder | undefined {
  const kind = (["hold", "open"] as const).find((each) => JSON.stringify(each) === register?.document);
  if (register === undefined || kind === undefined) return undefined;
  return { kind, sinceMs: register.stamp.wallMs, node: register.stamp.node };
}

/** The register of an order; of none where nothing is ordered. */
export function orderRegister(firstName: string, kind: OrderKind | undefined, nowMs: number): Omit<Register, "stamp"> {
  return { firstName, document: kind && JSON.stringify(kind), createdMs: nowMs };
}

/** An order as the API gives it. */
export function orderStatus(order: RoomOrder | undefined): OrderStatus | null {
  return order === undefined
    ? null
    : { order: order.kind, since: new Date(order.sinceMs).toISOString(), node: order.node };
}

/** An order in words, as a clause. */
export function orderText({ kind, sinceMs }: Pick<RoomOrder, "kind" | "sinceMs">): string {
  const since = `${new Date(sinceMs).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return `${kind === "hold" ? "held" : "opened"} by an operator since ${since}`;
}
