/**
 * A visitor of the simulated world: comes, waits in line if needed, browses for a while, leaves.
 *
 * Like a browser it carries a cookie, and nothing else; the load balancer decides which gate a request meets.
 */

import type { RoomId } from "../../mesh/core/ids.ts";
import type { VisitorCookie } from "../../node/cookie/seal.ts";
import type { Bearer } from "./bearer.ts";
import type { ThrownOutReason } from "./thrown-out.ts";

/** A cookie as a browser keeps it: what goes into the Cookie field, and what it says, which no browser knows. */
export type SimCookie = VisitorCookie & { readonly pair: string; readonly maxAgeMs: number };
export type InsideCookie = Extract<SimCookie, { kind: "inside" }>;
export type WaitingCookie = Extract<SimCookie, { kind: "waiting" }>;

/** How a visitor behaves. */
export interface Behaviour {
  /**
   * Time between two polls, as a part of the refresh interval: below 1 for a visitor who reloads the page all the time,
   * infinite for one who never asks again.
   */
  readonly pollPart: number;
  /** Minutes in line after which the visitor gives up. */
  readonly patienceMinutes: number;
  /** Whether cookies are kept; without them, each request is a new visitor. */
  readonly keepsCookies: boolean;
  /** Requests at once for a page, each at a new random gate. */
  readonly parallel: number;
  /** Chance that the visitor is in another locality at the next request. */
  readonly moves: number;
  /** Minutes between two requests of a visitor inside, at least and at most. */
  readonly browses: readonly [number, number];
}

export const PATIENT: Behaviour = {
  pollPart: 1,
  patienceMinutes: 30,
  keepsCookies: true,
  parallel: 1,
  moves: 0,
  browses: [0.1, 0.4],
};
/** Does no more than it must: one request a minute, so that a million of them are cheap. */
export const LIGHT: Behaviour = { ...PATIENT, browses: [0.7, 1] };
/** Polls twice as often as asked. */
export const HASTY: Behaviour = { ...PATIENT, pollPart: 0.5 };
export const REFRESHER: Behaviour = { ...PATIENT, pollPart: 0.1 };
export const ABANDONER: Behaviour = { ...PATIENT, patienceMinutes: 1 };
export const BOT: Behaviour = { ...PATIENT, keepsCookies: false, patienceMinutes: 2 };
/** Joins, and never asks again. */
export const SILENT: Behaviour = { ...PATIENT, pollPart: Number.POSITIVE_INFINITY };
export const SPRAYED: Behaviour = { ...PATIENT, parallel: 6 };
export const MOVER: Behaviour = { ...PATIENT, moves: 0.3 };

export interface Visitor {
  readonly number: number;
  /** The room whose pages they want. */
  readonly room: RoomId;
  readonly arrivedMs: number;
  /** Ms that the visitor stays once admitted. */
  readonly staysMs: number;
  readonly behaviour: Behaviour;
  /** What it brings to a room with doors. */
  readonly bearer: Bearer | undefined;
  /** Whether it has a queue key, and stays outside the line until it has proved some work. */
  isOutside: boolean;
  /** The locality whose gates the visitor meets. */
  locality: string;
  cookie: SimCookie | undefined;
  /** The cookie that it had before that one. */
  older: SimCookie | undefined;
  admittedMs: number | undefined;
  /** Whether the visitor has to wait. */
  hasWaited: boolean;
  /** Why its session was not extended when it last asked; undefined if it was. */
  refusal: ThrownOutReason | undefined;
  /** Seconds to the next poll, as the answer said. */
  pollSeconds: number;
  /** The moment of the next poll in ms from then, where the answer named it. */
  pollMs: number | undefined;
  /** From 0 to 1: how late it polls, within what its behaviour allows. */
  jitter: number;
  /** Times that it has planned its next request: only the last plan counts. */
  plans: number;
  /** When that is. */
  asksMs: number;
  /** The locality in whose line it stands; undefined for one that does not wait. */
  lineAt: string | undefined;
  /** Whether the last gate knew the room as deleted, and let the visitor pass as one of no room. */
  passes: boolean;
}
