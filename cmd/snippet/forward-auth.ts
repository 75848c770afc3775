/**
 * What the configurations for forward authentication have in common.
 *
 * For each request the proxy asks a gate, and sends the requests of visitors inside to the origin itself. nginx and
 * Caddy send all others to the gate as they came. Traefik and Envoy cannot, and copy the gate's answer. No keys are in
 * these.
 */

import type { SnippetPlan } from "./plan.ts";

/** Numbers of the fields in which a gate's answer gives cookies for the visitor. */
export const COOKIES = [1, 2, 3];

export const FROM_GATES = [
  "Start the gates with --trusted-proxies and this proxy's address: they answer at /.anteroom/auth to nobody else.",
  "Rooms with enabled_origin_commands, visitor_header or origin_host, with several origins, or with a path in the origin's address always go through the gates.",
];

export const NOT_TESTED = "Not tested with the real program: check it before you rely on it.";

/** Where the answer is copied, the page is in it. */
export const COPIED =
  "The gate's answer is the waiting page itself; its status is 503 where the room's is 200 or 202, which would let the visitor in. Commands of the origin have no effect.";

/** These have one origin for a server: the one of the first room. */
export function otherOrigins({ origins }: SnippetPlan): string[] {
  const [first, ...others] = origins;
  const names = others.flatMap(({ rooms }) => rooms.map(({ name }) => name));
  return first === undefined || names.length === 0
    ? []
    : [
        `All requests go to ${first.address}: print one file for each origin, with --room. Not here: ${names.join(", ")}.`,
      ];
}
