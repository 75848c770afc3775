/** Forward authentication, or all requests to the gates, as a configuration of nginx (1.22 and later). */

import { COOKIES, forwardAuthNotes } from "./forward-auth.ts";
import { heading, type SnippetPlan } from "./plan.ts";

/** Connections kept to each upstream and worker: one for each request that is under way, on a busy site. */
const KEPT = 64;

/** The certificate of an origin is checked against the name of its upstream. */
const UPSTREAM_TLS = [
  "proxy_ssl_server_name on;",
  "proxy_ssl_verify on;",
  "proxy_ssl_verify_depth 3;",
  "proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;",
];

/** The origin's commands are for anteroom. */
const HIDDEN_FIELDS = ["proxy_hide_header Anteroom-Command;", "proxy_hide_header CF-Waiting-Room-Command;"];

export function nginxSnippet(plan: SnippetPlan): string {
  const { bind, isTls, isPlain, tlsFiles } = plan;
  const gate = `${isTls ? "https" : "http"}://anteroom`;
  const toGates = [
    `proxy_pass ${gate};`,
    ...(isTls ? UPSTREAM_TLS : []),
    ...passedOn({ cookie: "$http_cookie", secret: '""' }),
  ];
  const lines = [
    ...[
      ...heading(plan, "forward authentication", "nginx 1.22 and later"),
      "Include this file in http {}.",
      ...forwardAuthNotes(plan),
    ].map((line) => `# ${line}`),
    "",
    ...upstreams(plan),
    "# Of protocols to change to, only WebSocket.",
    'map $http_upgrade $anteroom_upgrade { ~*^websocket$ websocket; default ""; }',
    'map $anteroom_upgrade $anteroom_connection { websocket upgrade; default ""; }',
    "",
    "server {",
    `    listen ${bind.startsWith(":") ? bind.slice(1) : bind}${tlsFiles === undefined ? "" : " ssl http2"};`,
    ...(tlsFiles === undefined
      ? []
      : [`    ssl_certificate ${tlsFiles.cert};`, `    ssl_certificate_key ${tlsFiles.key};`]),
    "    client_max_body_size 0;",
    "    # A target is a path: a URL may name another host than the field Host.",
    '    if ($request !~ "^[^ ]+ /") { return 400; }',
    "    # Refused from outside.",
    "    location ^~ /.anteroom/auth { return 404; }",
    ...(isPlain ? block("location /", toGates) : asking(plan, { gate, toGates })),
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

function block(name: string, lines: readonly string[]): string[] {
  return [`    ${name} {`, ...lines.map((line) => `        ${line}`), "    }"];
}

/** The question to a gate, and where each answer leads. */
function asking(
  { origins, hasOriginSecret }: SnippetPlan,
  { gate, toGates }: { readonly gate: string; readonly toGates: readonly string[] },
): string[] {
  const [origin] = origins;
  const secret = hasOriginSecret ? '"SECRET"' : '""';
  const originTls = origin?.isTls === true ? UPSTREAM_TLS : [];
  return [
    "    # The question: the target as it came, and no body.",
    "    location = /_anteroom_auth {",
    "        internal;",
    `        proxy_pass ${gate}/.anteroom/auth/nginx;`,
    "        proxy_pass_request_body off;",
    '        proxy_set_header Content-Length "";',
    "        proxy_set_header X-Original-URI $request_uri;",
    "        proxy_set_header X-Original-Method $request_method;",
    "        proxy_set_header Host $http_host;",
    "        proxy_set_header X-Forwarded-For $remote_addr;",
    "        proxy_set_header X-Forwarded-Proto $scheme;",
    "        proxy_http_version 1.1;",
    '        proxy_set_header Connection "";',
    "        proxy_buffer_size 32k;",
    "        proxy_buffers 4 32k;",
    "        proxy_busy_buffers_size 64k;",
    "    }",
    "    # Everybody else goes to the gates with the whole request.",
    ...block("location @anteroom", toGates),
    "    location / {",
    "        auth_request /_anteroom_auth;",
    "        error_page 401 = @anteroom;",
    "        auth_request_set $anteroom_cookie $upstream_http_cookie;",
    ...COOKIES.flatMap((at) => [
      `        auth_request_set $anteroom_set_cookie_${at} $upstream_http_anteroom_set_cookie_${at};`,
      `        add_header Set-Cookie $anteroom_set_cookie_${at} always;`,
    ]),
    `        proxy_pass ${origin?.isTls === true ? "https" : "http"}://${origin?.name ?? "anteroom"};`,
    ...[...originTls, ...passedOn({ cookie: "$anteroom_cookie", secret }), ...HIDDEN_FIELDS].map(
      (line) => `        ${line}`,
    ),
    "    }",
  ];
}

function upstreams({ gates, origins, isPlain }: SnippetPlan): string[] {
  return [
    "upstream anteroom {",
    ...gates.map((gate) => `    server ${gate};`),
    `    keepalive ${KEPT};`,
    "}",
    ...(isPlain ? [] : origins).flatMap(({ name, address }) => [
      `upstream ${name} {`,
      `    server ${address};`,
      `    keepalive ${KEPT};`,
      "}",
    ]),
  ];
}

/** What the upstream gets: nothing that only a proxy may say, except what this one says. */
function passedOn({ cookie, secret }: { readonly cookie: string; readonly secret: string }): string[] {
  const forwarded = ["Port", "Prefix", "Server", "Scheme", "Ssl", "Uri", "Method"].map((name) => `X-Forwarded-${name}`);
  const original = ["Original-URL", "Original-URI", "Original-Method", "Original-Host", "Rewrite-URL", "Rewrite-URI"];
  const between = ["HTTP2-Settings", "Proxy-Authorization", "Proxy-Connection"];
  const cleared = ["Forwarded", ...forwarded, ...original.map((name) => `X-${name}`), ...between];
  return [
    "proxy_http_version 1.1;",
    "proxy_request_buffering off;",
    "proxy_set_header Host $http_host;",
    "proxy_set_header Connection $anteroom_connection;",
    "proxy_set_header Upgrade $anteroom_upgrade;",
    `proxy_set_header Cookie ${cookie};`,
    "proxy_set_header X-Forwarded-For $remote_addr;",
    "proxy_set_header X-Forwarded-Host $http_host;",
    "proxy_set_header X-Forwarded-Proto $scheme;",
    `proxy_set_header Anteroom-Origin-Secret ${secret};`,
    "# What only a gate may say.",
    'proxy_set_header Anteroom-Visitor "";',
    "# What only a proxy may say, and this one does not; and what is between it and the visitor.",
    ...cleared.map((name) => `proxy_set_header ${name} "";`),
  ];
}
