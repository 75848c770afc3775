/** Forward authentication as a configuration of Envoy, by its ext_authz filter. It copies the gate's answer. */

import { COPIED, FROM_GATES, NOT_TESTED, otherOrigins } from "./forward-auth.ts";
import { heading, type SnippetPlan } from "./plan.ts";

/** What a gate needs of a request. */
const ASKED_FIELDS = [
  ...["accept", "accept-language", "cookie", "origin", "purpose", "referer", "user-agent"],
  ...["x-forwarded-for", "x-forwarded-proto"],
];

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
    "              - match: { safe_regex: { regex: '.*/\\.anteroom/draw' } }",
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
