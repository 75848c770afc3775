/**
 * A warning for operators about members that do not answer: first what happens by itself, and when.
 *
 * `forget` is named only if no majority of voters can remove them, and after a lease of silence. Before that, a node is
 * more likely to be restarting, and `forget` would cost it its identity. For the same reason a node that has just
 * started says nothing about others.
 */

import type { NodeId } from "../../../mesh/core/ids.ts";
import type { Instant } from "../../../mesh/core/instant.ts";
import type { Members } from "../../../mesh/core/members/members.ts";
import type { NodeLabels } from "./node-labels.ts";
import { removalMs } from "./silent-ends.ts";

export interface Silence {
  readonly now: Instant;
  readonly leaseMs: number;
  readonly labels: NodeLabels;
  /** Where a node can be dialled, as people write it. */
  readonly addressOf: (node: NodeId) => string | undefined;
}

/** A node that has just started has heard no other node yet: it takes this long at most until others have answered. */
const QUIET_MS_MIN = 2_000;

/** The sentence about the members that do not answer; undefined if all do, and for a node that has not joined. */
export function silentMembers(members: Members, { now, leaseMs, labels, addressOf }: Silence): string | undefined {
  const silent = members.reach.silent(now);
  if (silent.length === 0) return undefined;
  const names = silent.map(({ node }) => [labels.of(node), addressOf(node)].filter(Boolean).join(" at "));
  const [it, is, has, noun] = silent.length === 1 ? ["it", "is", "has", "node"] : ["they", "are", "have", "nodes"];
  const them = silent.length === 1 ? "it" : "them";
  const quietMs = Math.max(...silent.map(({ quietMs }) => quietMs ?? 0));
  if (silent.every(({ quietMs }) => quietMs !== undefined && quietMs < QUIET_MS_MIN)) return undefined;
  const since = silent.some(({ quietMs }) => quietMs === undefined) ? "" : ` for ${seconds(quietMs)}`;
  const what = `${noun} ${names.join(", ")} ${has} not answered${since}`;
  const atMs = removalMs(members, now);
  if (atMs === undefined) {
    const isLong = quietMs >= leaseMs;
    const repair = isLong
      ? `; if ${it} ${is} gone for good, data directory and all: anteroom forget ${silent.map(({ node }) => labels.word(node)).join(" ")}`
      : "";
    return `${what}: nobody removes ${them}, as ${whyNot(members)}, and nobody can join; ${fate(members, now)}. Start ${them} again${repair}`;
  }
  if (since === "") return `${what}: the voters remove ${them} after a lease of silence, unless ${it} ${is} back`;
  if (atMs <= now.wallMs)
    return `${what}: the others remove ${them} as soon as no member hears ${them}, unless ${it} ${is} back`;
  return `${what}: the others remove ${them} at ${timeOf(atMs)} (in ${Math.ceil((atMs - now.wallMs) / 1_000)} s) unless ${it} ${is} back`;
}

function whyNot({ view }: Members): string {
  return (view?.members.length ?? 0) <= 2
    ? "with two nodes, either may be the one that is cut off"
    : "removal needs a majority of the voters, and too few answer here";
}

function fate(members: Members, now: Instant): string {
  return members.lease(now) === "held"
    ? "this node continues with its own share"
    : "this node has no lease: it admits nobody, and existing sessions continue for a while";
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

/** The time of day at this host: `14:32:10`. */
function timeOf(unixMs: number): string {
  return new Date(unixMs).toTimeString().slice(0, 8);
}
