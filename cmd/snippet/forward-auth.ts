/**
 * Forward authentication as configurations of nginx, Caddy, Traefik and Envoy.
 *
 * For each request the proxy asks a gate, and sends the requests of visitors inside to the origin itself. nginx and
 * Caddy send all others to the gate as they came. Traefik and Envoy cannot, and copy the gate's answer. No keys are in
 * these.
 */

import { HIDDEN_FIELDS, passedOn, UPSTREAM_TLS, upstreams } from "./nginx-parts.ts";
import { heading, type SnippetPlan } from "./plan.ts";

/** As many as a gate numbers. */
const COOKIES = [1, 2, 3];

const FROM_GATES = [
  "Start the gates with --trusted-proxies and this proxy's address: they answer at /.anteroom/auth to nobody else.",
  "Rooms with enabled_origin_commands or visitor_header, with several origins, or with a path in the origin's address always go through the gates.",
];

const NOT_TESTED = "Not tested with the real program: check it before you rely on it.";

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

export function caddySnippet(plan: SnippetPlan): string {
  const { bind, gates, origins, hasOriginSecret, isTls } = plan;
  const gate = gates.map((address) => `${isTls ? "https://" : ""}${caddyAddress(address)}`).join(" ");
  const [, host = "", port = "80"] = /^(.*):(\d+)$/.exec(bind) ?? [];
  const [origin] = origins;
  const to = origin === undefined ? gate : `${origin.isTls ? "https://" : ""}${caddyAddress(origin.address)}`;
  const lines = [
    ...[...heading(plan, "forward authentication for Caddy 2.6 and later"), ...FROM_GATES, ...otherOrigins(plan)].map(
      (line) => `# ${line}`,
    ),
    "# For https, write the site's name in place of http://: and the port.",
    `http://:${port} {`,
    ...(host === "" ? [] : [`\tbind ${host}`]),
    "\troute {",
    "\t\t# Refused from outside.",
    "\t\t@anteroom_auth path /.anteroom/auth /.anteroom/auth/*",
    "\t\trespond @anteroom_auth 404",
    "\t\t# What only a proxy may say.",
    ...["Forwarded", "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Original-URL", "X-Rewrite-URL"].map(
      (name) => `\t\trequest_header -${name}`,
    ),
    "\t\t# Only the gate's answer has these; some versions keep a visitor's own where the answer has none.",
    "\t\trequest_header -Anteroom-Set-Cookie-*",
    "\t\trequest_header -Anteroom_*",
    `\t\tforward_auth ${gate} {`,
    "\t\t\turi /.anteroom/auth/caddy",
    "\t\t\tcopy_headers Cookie Anteroom-Set-Cookie-1 Anteroom-Set-Cookie-2 Anteroom-Set-Cookie-3",
    "\t\t\t# Everybody else goes to the gates with the whole request.",
    "\t\t\t@anteroom_outside status 401",
    "\t\t\thandle_response @anteroom_outside {",
    `\t\t\t\treverse_proxy ${gate}`,
    "\t\t\t}",
    "\t\t}",
    ...COOKIES.flatMap((at) => [
      `\t\t@anteroom_set_${at} header Anteroom-Set-Cookie-${at} __anteroom_*`,
      `\t\theader @anteroom_set_${at} +Set-Cookie {header.Anteroom-Set-Cookie-${at}}`,
    ]),
    '\t\t@anteroom_no_cookie expression `{header.Cookie} == ""`',
    "\t\trequest_header @anteroom_no_cookie -Cookie",
    "\t\t@anteroom_own_cookie header_regexp Cookie `(?:^|;)\\s*__anteroom_`",
    "\t\trequest_header @anteroom_own_cookie -Cookie",
    `\t\treverse_proxy ${to} {`,
    "\t\t\theader_up -Anteroom-*",
    ...(hasOriginSecret ? ["\t\t\theader_up Anteroom-Origin-Secret {env.ANTEROOM_ORIGIN_SECRET}"] : []),
    "\t\t\theader_down -Anteroom-Command",
    "\t\t\theader_down -CF-Waiting-Room-Command",
    "\t\t}",
    "\t}",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

function caddyAddress(address: string): string {
  return address.replace(/^unix:/, "unix/");
}

/** These have one origin for a server: the one of the first room. */
function otherOrigins({ origins }: SnippetPlan): string[] {
  const [first, ...others] = origins;
  const names = others.flatMap(({ rooms }) => rooms.map(({ name }) => name));
  return first === undefined || names.length === 0
    ? []
    : [
        `All requests go to ${first.address}: print one file for each origin, with --room. Not here: ${names.join(", ")}.`,
      ];
}

export function traefikSnippet(plan: SnippetPlan): string {
  const { gates, origins, bind, isTls } = plan;
  const scheme = isTls ? "https" : "http";
  const [origin] = origins;
  const lines = [
    ...[
      ...heading(plan, "forward authentication for Traefik 3"),
      NOT_TESTED,
      ...FROM_GATES.slice(0, 1),
      COPIED,
      `Traefik's dynamic configuration, for the entry point web at ${bind}.`,
      ...otherOrigins(plan),
    ].map((line) => `# ${line}`),
    "http:",
    "  routers:",
    "    # Polls, and anteroom's own addresses: straight to the gates; nobody may ask at /.anteroom/auth.",
    "    anteroom:",
    "      entryPoints: [web]",
    "      rule: (HeaderRegexp(`Anteroom-Poll`, `.*`) || PathRegexp(`/\\.anteroom/(receipt|log)$`) || QueryRegexp(`__anteroom`, `.*`)) && !PathPrefix(`/.anteroom/auth`)",
    "      priority: 1000",
    "      service: anteroom",
    "    site:",
    "      entryPoints: [web]",
    "      rule: PathPrefix(`/`) && !PathPrefix(`/.anteroom/auth`)",
    "      middlewares: [anteroom]",
    "      service: origin",
    "  middlewares:",
    "    anteroom:",
    "      forwardAuth:",
    `        address: ${scheme}://${gates[0] ?? ""}/.anteroom/auth/traefik`,
    "        trustForwardHeader: false",
    "        authResponseHeaders: [Cookie, Anteroom-Visitor]",
    "        addAuthCookiesToResponse:",
    ...plan.rooms.flatMap(({ gateCookies }) => gateCookies.map((name) => `          - ${name}`)),
    "  services:",
    "    anteroom:",
    "      loadBalancer:",
    "        servers:",
    ...gates.map((gate) => `          - url: ${scheme}://${gate}`),
    "    origin:",
    "      loadBalancer:",
    "        servers:",
    `          - url: ${origin?.isTls === true ? "https" : "http"}://${origin?.address ?? "ORIGIN"}`,
  ];
  return `${lines.join("\n")}\n`;
}

export function envoySnippet(plan: SnippetPlan): string {
  const { gates, origins, bind } = plan;
  const [origin] = origins;
  const off = [
    "                typed_per_filter_config:",
    "                  envoy.filters.http.ext_authz:",
    '                    "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute',
    "                    disabled: true",
  ];
  const lines = [
    ...[
      ...heading(plan, "forward authentication for Envoy"),
      NOT_TESTED,
      ...FROM_GATES.slice(0, 1),
      COPIED,
      ...otherOrigins(plan),
    ].map((line) => `# ${line}`),
    "static_resources:",
    "  listeners:",
    `  - address: ${socket(bind)}`,
    "    filter_chains:",
    "    - filters:",
    "      - name: envoy.filters.network.http_connection_manager",
    "        typed_config:",
    '          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    "          stat_prefix: anteroom",
    "          use_remote_address: true",
    "          normalize_path: false",
    "          path_with_escaped_slashes_action: KEEP_UNCHANGED",
    "          route_config:",
    "            virtual_hosts:",
    "            - name: site",
    '              domains: ["*"]',
    "              routes:",
    "              # Refused from outside.",
    "              - match: { prefix: /.anteroom/auth }",
    "                direct_response: { status: 404 }",
    ...off,
    "              # Polls, and anteroom's own addresses.",
    "              - match: { prefix: /, headers: [{ name: anteroom-poll, present_match: true }] }",
    "                route: { cluster: anteroom }",
    ...off,
    "              - match: { safe_regex: { regex: '.*/\\.anteroom/(receipt|log)' } }",
    "                route: { cluster: anteroom }",
    ...off,
    "              - match: { prefix: / }",
    "                route: { cluster: origin }",
    "          http_filters:",
    "          - name: envoy.filters.http.ext_authz",
    "            typed_config:",
    '              "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz',
    "              failure_mode_allow: false",
    "              allowed_headers:",
    "                patterns:",
    ...ASKED_FIELDS.map((name) => `                - { exact: ${name}, ignore_case: true }`),
    "                - { prefix: sec-, ignore_case: true }",
    "                - { prefix: anteroom-, ignore_case: true }",
    "              http_service:",
    `                server_uri: { uri: http://${gates[0] ?? ""}, cluster: anteroom, timeout: 2s }`,
    "                path_prefix: /.anteroom/auth/envoy",
    "                authorization_response:",
    "                  allowed_upstream_headers: { patterns: [{ exact: cookie }, { exact: anteroom-visitor }] }",
    "                  allowed_client_headers_on_success: { patterns: [{ exact: set-cookie }] }",
    "                  allowed_client_headers: { patterns: [{ safe_regex: { regex: '.*' } }] }",
    "          - name: envoy.filters.http.router",
    "            typed_config:",
    '              "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
    "  clusters:",
    ...cluster("anteroom", gates),
    ...cluster("origin", [origin?.address ?? ":80"]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Where the answer is copied, the page is in it. */
const COPIED =
  "The gate's answer is the waiting page itself; its status is 503 where the room's is 200 or 202, which would let the visitor in. Commands of the origin have no effect.";

/** What a gate needs of a request. */
const ASKED_FIELDS = [
  ...["accept", "accept-language", "cookie", "origin", "purpose", "referer", "user-agent"],
  ...["x-forwarded-for", "x-forwarded-proto"],
];

function socket(address: string): string {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(address) ?? [];
  const name = host === "" ? "0.0.0.0" : host.replace(/^\[(.*)\]$/, "$1");
  return `{ socket_address: { address: ${JSON.stringify(name)}, port_value: ${port === "" ? 80 : port} } }`;
}

function cluster(name: string, addresses: readonly string[]): string[] {
  return [
    `  - name: ${name}`,
    "    type: STRICT_DNS",
    "    load_assignment:",
    `      cluster_name: ${name}`,
    "      endpoints:",
    "      - lb_endpoints:",
    ...addresses.map((address) => `        - endpoint: { address: ${socket(address)} }`),
  ];
}
