/** What the configurations of nginx have in common: with the fast lane, and with forward authentication. */

import type { SnippetPlan } from "./plan.ts";

/** Connections kept to each upstream and worker: one for each request that is under way, on a busy site. */
const KEPT = 64;

export function upstreams({ gates, origins }: SnippetPlan): string[] {
  return [
    "upstream anteroom {",
    ...gates.map((gate) => `    server ${gate};`),
    `    keepalive ${KEPT};`,
    "}",
    ...origins.flatMap(({ name, address }) => [
      `upstream ${name} {`,
      `    server ${address};`,
      `    keepalive ${KEPT};`,
      "}",
    ]),
  ];
}

/** The certificate of an origin is checked against the name of its upstream. */
export const UPSTREAM_TLS = [
  "proxy_ssl_server_name on;",
  "proxy_ssl_verify on;",
  "proxy_ssl_verify_depth 3;",
  "proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;",
];

/** What the upstream gets: nothing that only a proxy may say, except what this one says. */
export function passedOn({ cookie, secret }: { readonly cookie: string; readonly secret: string }): string[] {
  const cleared = ["Forwarded", "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Original-URL", "X-Rewrite-URL"];
  return [
    "proxy_http_version 1.1;",
    "proxy_request_buffering off;",
    "proxy_set_header Host $http_host;",
    "proxy_set_header Connection $anteroom_connection;",
    "proxy_set_header Upgrade $http_upgrade;",
    `proxy_set_header Cookie ${cookie};`,
    "proxy_set_header X-Forwarded-For $remote_addr;",
    "proxy_set_header X-Forwarded-Host $http_host;",
    "proxy_set_header X-Forwarded-Proto $scheme;",
    `proxy_set_header Anteroom-Origin-Secret ${secret};`,
    "# What only a gate may say.",
    'proxy_set_header Anteroom-Visitor "";',
    "# What only a proxy may say, and this one does not.",
    ...cleared.map((name) => `proxy_set_header ${name} "";`),
  ];
}

/** The origin's commands are for anteroom. */
export const HIDDEN_FIELDS = ["proxy_hide_header Anteroom-Command;", "proxy_hide_header CF-Waiting-Room-Command;"];
