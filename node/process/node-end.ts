/**
 * How a node ends by itself, and what the operator hears who had it leave.
 */

import { type Left, LINGER_MS } from "../../mesh/core/members/leaver.ts";

/** Why a node ended by itself: it left the mesh, or its identity is over and the next start makes a new node. */
export interface NodeEnd {
  /** `stopped`: it should leave, and no node could take over. */
  readonly kind: "left" | "stopped" | "new-identity" | "replaced";
  readonly message: string;
}

export type LeaveAnswer =
  | { readonly left: boolean; readonly heir: string | undefined; readonly message: string }
  | { readonly isRefused: true; readonly problem: string };

/** What became of an order to leave; `end` if the node ends by it. */
export function leftBy(left: Left): { readonly answer: LeaveAnswer; readonly end?: NodeEnd } {
  if (left.kind === "underway") return { answer: { isRefused: true, problem: UNDERWAY_TEXT } };
  const message = LEFT_TEXTS[left.kind];
  const heir = left.kind === "restart" ? undefined : left.heir;
  const answer = { left: left.kind === "left", heir, message };
  if (left.kind === "unanswered") return { answer };
  return { answer, end: { kind: left.kind === "left" ? "left" : "stopped", message } };
}

const UNDERWAY_TEXT = "Cannot leave the mesh a second time as this node is already leaving: the first order continues";

const LEFT_TEXTS: Readonly<Record<Exclude<Left["kind"], "underway">, string>> = {
  left: `everything was handed over: the process ends in ${LINGER_MS / 1_000} s; then its ports are free, and the data directory can be removed`,
  restart: "no node could take over: this was only a stop, so keep the data directory and start the node again",
  unanswered:
    "the heir was offered everything and does not answer: this node admits nobody and keeps asking; try again later",
};

export const END_TEXTS: Readonly<Record<NodeEnd["kind"], string>> = {
  left: "left the mesh, stopping",
  stopped: "stopping",
  "new-identity": "this node's identity is over: it continues as a new node",
  replaced: "stopping: this node's identity is in use elsewhere, or was removed from the mesh",
};
