/** The flags of `anteroom snippet`. */

import type { Option } from "../command.ts";

/** Where the proxy listens, if nothing else is said. */
export const BIND = { http: ":80", https: ":443" };

export const SNIPPET_OPTIONS: readonly Option[] = [
  {
    flag: "room",
    placeholder: "NAME",
    repeatable: true,
    help: "a room whose visitors inside pass the gates by; none given: all rooms",
  },
  { flag: "plain", help: "pass all requests to the gates: no fast lane, and no question to a gate" },
  { flag: "bind", placeholder: "ADDR", help: "where the proxy listens; :80, or :443 with --tls-cert" },
  {
    flag: "tls-cert",
    placeholder: "FILE",
    help: "chain of certificates at the proxy's host, in PEM, for https; for haproxy with its key",
  },
  { flag: "tls-key", placeholder: "FILE", help: "its private key, for nginx and caddy" },
  { flag: "gate", placeholder: "ADDR", repeatable: true, help: "a gate; none given: that of the node that is asked" },
  { flag: "origin", placeholder: "URL", help: "the origin, in place of those of the rooms and of the node" },
];
