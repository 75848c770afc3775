/** Forward authentication as a configuration of nginx (1.22 and later). */

import { COOKIES, FROM_GATES, otherOrigins } from "./forward-auth.ts";
import { HIDDEN_FIELDS, passedOn, UPSTREAM_TLS, upstreams } from "./nginx-parts.ts";
import { heading, type SnippetPlan } from "./plan.ts";

export function nginxAuthSnippet(plan: SnippetPlan): string {
  const { bind, origins, hasOriginSecret, isTls } = plan;
  const gate = `${isTls ? "https" : "http"}://anteroom`;
  const [origin] = origins;
  const secret = hasOriginSecret ? '"SECRET"' : '""';
  const originTls = origin?.isTls === true ? UPSTREAM_TLS : [];
  const lines = [
    ...[
      ...heading(plan, "forward authentication for nginx 1.22 and later"),
      "Include this file in http {}.",
      ...FROM_GATES,
    ].map((line) => `# ${line}`),
    ...otherOrigins(plan).map((line) => `# ${line}`),
    "",
    ...upstreams(plan),
    'map $http_upgrade $anteroom_connection { default upgrade; "" ""; }',
    "",
    "server {",
    `    listen ${bind.startsWith(":") ? bind.slice(1) : bind};`,
    "    client_max_body_size 0;",
    "    # Refused from outside.",
    "    location ^~ /.anteroom/auth { return 404; }",
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
    "    location @anteroom {",
    `        proxy_pass ${gate};`,
    ...[...(isTls ? UPSTREAM_TLS : []), ...passedOn({ cookie: "$http_cookie", secret: '""' })].map(
      (line) => `        ${line}`,
    ),
    "    }",
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
    "}",
  ];
  return `${lines.join("\n")}\n`;
}
