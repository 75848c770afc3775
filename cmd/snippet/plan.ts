/**
 * What all snippets are made of: the rooms of a node, as its admin API gives them, and the addresses that an operator
 * names.
 */

import { addressText } from "../../node/config/readers.ts";
import { parseOrigin } from "../../node/http/origin-target.ts";
import type { LaneDocument, LaneRoom } from "../../node/operator/api/lane.ts";

export interface SnippetPlan extends LaneDocument {
  /** Where the proxy listens, as `host:port`; an empty host is every interface. */
  readonly bind: string;
  /** Files for https at the proxy's host; `key` is empty where `cert` has it. Undefined for http. */
  readonly tlsFiles: TlsFiles | undefined;
  /** Whether all requests go to the gates. */
  readonly isPlain: boolean;
  /** The gates, as `host:port`. */
  readonly gates: readonly string[];
  /** The rooms whose visitors take the lane; the others' go through the gates. */
  readonly lane: readonly LaneRoom[];
  /** The origins of these rooms. */
  readonly origins: readonly SnippetOrigin[];
}

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

export interface SnippetOrigin {
  /** Name for the proxy's configuration. */
  readonly name: string;
  readonly hostname: string;
  /** Where it is: `host:port`, or `unix:` and a path. */
  readonly address: string;
  readonly isTls: boolean;
  readonly rooms: readonly LaneRoom[];
}

export interface PlanChoice extends Pick<SnippetPlan, "bind" | "tlsFiles" | "isPlain"> {
  /** Names of rooms; none for all. */
  readonly rooms: readonly string[];
  /** None for the gate of the node that was asked. */
  readonly gates: readonly string[];
  /** In place of the origins of all rooms. */
  readonly origin: string | undefined;
}

export function planOf(lane: LaneDocument, { rooms, gates, origin, ...choice }: PlanChoice): SnippetPlan {
  const wanted = lane.rooms.filter(({ name }) => rooms.length === 0 || rooms.includes(name));
  const taken = wanted
    .map((room) => ({ ...room, origin: origin ?? room.origin }))
    .filter(({ obstacle, origin: url }) => obstacle === undefined && url !== undefined);
  return { ...lane, ...choice, gates: gates.length > 0 ? gates : [lane.gate], lane: taken, origins: originsOf(taken) };
}

function originsOf(rooms: readonly LaneRoom[]): readonly SnippetOrigin[] {
  const urls = [...new Set(rooms.flatMap(({ origin }) => origin ?? []))];
  return urls.flatMap((url, index) => {
    const target = parseOrigin(url);
    if (target === undefined) return [];
    const { hostname, port, tls: isTls, unix } = target;
    const address = addressText({ host: hostname, port, ...(unix !== undefined && { unix }) });
    const name = urls.length === 1 ? "anteroom_origin" : `anteroom_origin_${index + 1}`;
    return [{ name, hostname, address, isTls, rooms: rooms.filter(({ origin }) => origin === url) }];
  });
}

/** The lines of a comment at the head of each snippet; `what` it does, unless it is plain, for `proxy`. */
export function heading({ version, rooms, lane, pin, isPlain }: SnippetPlan, what: string, proxy: string): string[] {
  if (isPlain)
    return [
      `anteroom ${version}: all requests to the gates, for ${proxy}.`,
      "Start the gates with --trusted-proxies and this proxy's address.",
    ];
  return [
    `anteroom ${version}: ${what} for ${proxy}.`,
    `Rooms: ${lane.map(({ name }) => name).join(", ") || "none"}. Pin of the rooms: ${pin}.`,
    ...rooms.flatMap(({ name, obstacle }) =>
      obstacle === undefined ? [] : [`Visitors of room ${name} always go through the gates: ${obstacle}.`],
    ),
  ];
}

/** What a snippet with keys says about them, and about what its gates no longer see. */
export function laneNotes({ lane, isPlain }: SnippetPlan): string[] {
  if (isPlain) return [];
  const throttled = lane.filter(({ isThrottled }) => isThrottled).map(({ name }) => name);
  return [
    "The keys in this file let visitors in: only the proxy may read it.",
    "Print it again after a change of hosts, paths or origins of rooms, and after anteroom key --rotate. Until then all",
    "requests go through the gates, and anteroom status says so.",
    "The proxy's clock may be 3 s slow at most; with session_duration 1 keep it within 1 s.",
    ...(throttled.length === 0
      ? []
      : [
          `The gates see few answers of the origin now, so the throttle of ${throttled.join(", ")} rests on health_check.`,
        ]),
  ];
}
