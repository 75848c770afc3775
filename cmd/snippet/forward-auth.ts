/**
 * What the configurations for forward authentication have in common.
 *
 * For each request the proxy asks a gate. It sends the requests of visitors inside to the origin itself, and all others
 * to the gate as they came. No keys are in these.
 */

import type { SnippetPlan } from "./plan.ts";

/** Numbers of the fields in which a gate's answer gives cookies for the visitor. */
export const COOKIES = [1, 2, 3];

const FROM_GATES = [
  "Start the gates with --trusted-proxies and this proxy's address: they answer at /.anteroom/auth to nobody else.",
  "Rooms with enabled_origin_commands, visitor_header or origin_host, with several origins, or with a path in the origin's address always go through the gates.",
];

/** What a person must know of them. They have one origin for a server: the one of the first room. */
export function forwardAuthNotes({ origins, isPlain }: SnippetPlan): string[] {
  if (isPlain) return [];
  const [first, ...others] = origins;
  const names = others.flatMap(({ rooms }) => rooms.map(({ name }) => name));
  return first === undefined || names.length === 0
    ? FROM_GATES
    : [
        ...FROM_GATES,
        `All requests go to ${first.address}: print one file for each origin, with --room. Not here: ${names.join(", ")}.`,
      ];
}
