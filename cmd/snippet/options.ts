/** The flags of `anteroom snippet`. */

import type { Option } from "../command.ts";

/** Where the proxy listens, if nothing else is said. */
export const BIND = ":80";

export const SNIPPET_OPTIONS: readonly Option[] = [
  {
    flag: "room",
    placeholder: "NAME",
    repeatable: true,
    help: "a room whose visitors inside pass the gates by; none given: all rooms",
  },
  { flag: "bind", placeholder: "ADDR", fallback: BIND, help: "where the proxy listens" },
  { flag: "gate", placeholder: "ADDR", repeatable: true, help: "a gate; none given: that of the node that is asked" },
  { flag: "origin", placeholder: "URL", help: "the origin, in place of those of the rooms and of the node" },
];
