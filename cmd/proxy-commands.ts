/** The commands for proxies in front: their configurations, and the keys of the fast lane. */

import { type Command, NONE, ONE } from "./command.ts";
import { LANE_KEY_OPTIONS } from "./lane-key.ts";
import { CLIENT_OPTIONS, JSON_OPTION } from "./options.ts";
import { SNIPPET_OPTIONS } from "./snippet/options.ts";

export const PROXY_COMMANDS: readonly Command[] = [
  {
    name: "snippet",
    synopsis: "PROXY [flags]",
    positionals: ONE,
    summary: "print a configuration for the proxy in front of the gates",
    notes: [
      "PROXY is haproxy: with it, visitors inside pass the gates by (the fast lane). The text has keys that let " +
        "visitors in: only the proxy may read it. Print it again after a change of hosts, paths or origins of rooms; " +
        "anteroom status says when a proxy has an old one.",
      "Or it is nginx, caddy, traefik or envoy: the proxy asks a gate about each request (forward authentication). The " +
        "last two are not tested with the real programs.",
    ],
    options: [...SNIPPET_OPTIONS, ...CLIENT_OPTIONS],
    examples: [
      "anteroom snippet haproxy > /etc/haproxy/haproxy.cfg",
      "anteroom snippet nginx --room shop --gate 10.0.0.1:8080 --gate 10.0.0.2:8080 > /etc/nginx/conf.d/anteroom.conf",
    ],
    run: async (call) => (await import("./snippet.ts")).snippet(call),
  },
  {
    name: "lane key",
    synopsis: "[--rotate | --leaked]",
    positionals: NONE,
    summary: "show or rotate the keys of the fast lane, on all nodes",
    notes: [
      "A snippet has two keys: the one with which the gates sign, and the next one. So a rotation needs no proxy at that " +
        "moment; give each a new snippet before the next one.",
    ],
    options: [...LANE_KEY_OPTIONS, JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom lane key --rotate"],
    run: async (call) => (await import("./lane-key.ts")).laneKey(call),
  },
];
