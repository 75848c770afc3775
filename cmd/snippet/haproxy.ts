/**
 * The fast lane, or all requests to the gates, as a configuration of HAProxy (2.6 and later).
 *
 * HAProxy finds the room of a plain path as the gate does, and checks the token in the room's cookie by itself. What it
 * is not sure of goes to the gates, which are the default backend. The header of a token is compared as text, so that
 * no token chooses its algorithm.
 */

import { LANE_PATH_CHARACTERS } from "../../node/rooms/lane-table.ts";
import { heading, laneNotes, type SnippetOrigin, type SnippetPlan } from "./plan.ts";

export function haproxySnippet(plan: SnippetPlan): string {
  const lines = [
    ...[...heading(plan, "the fast lane", "HAProxy 2.6 and later"), ...laneNotes(plan)].map((line) => `# ${line}`),
    "",
    "defaults",
    "    mode http",
    "    option redispatch",
    "    timeout connect 5s",
    "    timeout client 60s",
    "    timeout server 60s",
    "    timeout tunnel 1h",
    "",
    ...frontend(plan),
    "",
    ...gates(plan),
    ...(plan.isPlain ? [] : plan.origins).flatMap((origin) => ["", ...originBackend(origin, plan)]),
  ];
  return `${lines.join("\n")}\n`;
}

function frontend(plan: SnippetPlan): string[] {
  const { bind, isPlain, tlsFiles } = plan;
  return [
    "frontend anteroom_front",
    `    bind ${bind}${tlsFiles === undefined ? "" : ` ssl crt ${tlsFiles.cert} alpn h2,http/1.1`}`,
    "    # What only this proxy may say. The gates believe it if they run with --trusted-proxies and its address.",
    "    http-request del-header ^(?:forwarded|x[-_]forwarded[-_].+|x[-_](?:original|rewrite)[-_]ur[il])$ -m reg",
    "    http-request del-header Anteroom-Lane",
    "    # What only a gate may say.",
    "    http-request del-header ^anteroom[^a-z0-9]visitor$ -m reg",
    "    # What is between the visitor and this proxy: a list in Connection would take fields away from the next server.",
    "    http-request set-var(txn.anteroom_socket) bool(true) if { req.fhdr(upgrade) -m str -i websocket } { req.hdr(connection) -m str -i upgrade }",
    "    http-request del-header ^(?:connection|upgrade|te|keep-alive|http2-settings|proxy-.+)$ -m reg",
    "    http-request set-header Connection Upgrade if { var(txn.anteroom_socket) -m bool }",
    "    http-request set-header Upgrade websocket if { var(txn.anteroom_socket) -m bool }",
    "    http-request set-header X-Forwarded-For %[src]",
    "    http-request set-header X-Forwarded-Host %[req.hdr(host)]",
    "    http-request set-header X-Forwarded-Proto http unless { ssl_fc }",
    "    http-request set-header X-Forwarded-Proto https if { ssl_fc }",
    "    http-request deny deny_status 404 if { path -m beg /.anteroom/auth }",
    ...(isPlain ? [] : laneRules(plan)),
    "    default_backend anteroom",
  ];
}

/** Who passes the gates by. */
function laneRules(plan: SnippetPlan): string[] {
  return [
    "",
    "    # These always go to the gates: anteroom's own addresses, polls, marks and passes, and two Cookie fields.",
    "    acl anteroom_own pathq -m sub anteroom",
    "    acl anteroom_own req.fhdr(referer) -m sub __anteroom= anteroom_pass=",
    "    acl anteroom_own req.fhdr_cnt(anteroom-poll) gt 0",
    "    acl anteroom_own req.fhdr_cnt(anteroom-pass) gt 0",
    "    acl anteroom_own req.fhdr_cnt(anteroom-proof) gt 0",
    "    acl anteroom_own req.fhdr_cnt(cookie) gt 1",
    "    # So does what the gates may refuse: other methods and versions, odd bytes, and names that some servers read as others.",
    "    acl anteroom_own req.fhdr(expect) -m found",
    "    acl anteroom_own url -m reg [^[:print:]]",
    "    acl anteroom_own req.hdrs -m reg [^[:print:]\\t\\r\\n]",
    "    acl anteroom_own req.hdrs -m reg (^|\\n)[A-Za-z0-9-]*[^A-Za-z0-9:\\r\\n-]",
    "    acl anteroom_method method GET HEAD POST PUT PATCH DELETE OPTIONS",
    "    acl anteroom_name req.fhdr(host) -m reg -i ^[a-z0-9-]+([.][a-z0-9-]+)*(:[1-5]?[0-9]{1,4})?$",
    "    # Targets that are no path go there as well.",
    "    acl anteroom_path url -m beg /",
    "    acl anteroom_path fc_http_major 2",
    ...roomRules(plan),
    "",
    ...tokenRules(plan),
    ...plan.origins.map(
      ({ name, rooms }) =>
        `    use_backend ${name} if { var(txn.anteroom_left) -m int gt 0 } ` +
        `{ var(txn.anteroom_room) -m str ${rooms.map(({ id }) => id).join(" ")} }`,
    ),
  ];
}

/** Finds the room of a request, in `txn.anteroom_room`. */
function roomRules({ hosts, lane }: SnippetPlan): string[] {
  const named = hosts.filter(({ host }) => host !== "*").map(({ host }) => host);
  const isRead = hosts.some(({ isUniform, routes }) => !isUniform && routes.length > 0);
  const lines = ["", "    # The room: by host, then by the first route that covers the path."];
  if (named.length > 0) {
    lines.push(
      "    http-request set-var(txn.anteroom_host) req.hdr(host),host_only,lower",
      `    acl anteroom_named var(txn.anteroom_host) -m str ${named.join(" ")}`,
    );
  }
  if (isRead) {
    lines.push(
      "    # Only paths that every origin reads alike: no escapes, empty segments, dot segments or parameters.",
      `    acl anteroom_characters path -m reg ^/[${LANE_PATH_CHARACTERS}]*$`,
      "    acl anteroom_odd path -m sub // /. ./",
      "    acl anteroom_odd path -m end .",
      "    http-request set-var(txn.anteroom_raw) path,concat(/)",
      "    http-request set-var(txn.anteroom_lower) path,lower,concat(/)",
    );
  }
  let at = 0;
  for (const { host, isUniform, routes } of hosts) {
    const onHost =
      host === "*" ? (named.length > 0 ? "!anteroom_named" : "") : `{ var(txn.anteroom_host) -m str ${host} }`;
    for (const { read, written, room } of routes) {
      const isTaken = lane.some(({ id }) => id === room);
      if (isUniform) {
        if (isTaken) lines.push(ruled(`http-request set-var(txn.anteroom_room) str(${room})`, onHost));
        continue;
      }
      at += 1;
      const first = `!{ var(txn.anteroom_at) -m found } { var(txn.anteroom_lower) -m beg ${read}/ }`;
      lines.push(ruled(`http-request set-var(txn.anteroom_at) int(${at})`, `${onHost} ${first}`));
      if (!isTaken || written === undefined) continue;
      const asWritten = `{ var(txn.anteroom_at) -m int ${at} } { var(txn.anteroom_raw) -m beg ${written}/ }`;
      lines.push(
        ruled(`http-request set-var(txn.anteroom_room) str(${room})`, `${asWritten} anteroom_characters !anteroom_odd`),
      );
    }
  }
  return lines;
}

function ruled(rule: string, condition: string): string {
  return condition.trim() === "" ? `    ${rule}` : `    ${rule} if ${condition.trim()}`;
}

/** What a request must be to take the lane. */
const PLAIN = "anteroom_method anteroom_name anteroom_path !anteroom_own";

/** Checks the room's token; `txn.anteroom_left` are the seconds for which it is good. */
function tokenRules({ lane }: SnippetPlan): string[] {
  return [
    "    # The token: good under one of the room's two keys, and not over.",
    ...lane.flatMap(({ id, cookie, keys }) => {
      const isRoom = `{ var(txn.anteroom_room) -m str ${id} }`;
      return [
        `    http-request set-var(txn.anteroom_token) req.cook(${cookie}) if ${isRoom} ${PLAIN}`,
        ...keys.map(
          ({ header, key }) =>
            "    http-request set-var(txn.anteroom_exp) var(txn.anteroom_token),jwt_payload_query('$.exp','int') if " +
            `${isRoom} { var(txn.anteroom_token) -m beg ${header}. } ` +
            `{ var(txn.anteroom_token),jwt_verify('HS256','${key}') -m int 1 }`,
        ),
      ];
    }),
    "    http-request set-var(txn.anteroom_left) date,neg,add(txn.anteroom_exp) if { var(txn.anteroom_exp) -m found }",
  ];
}

function gates({ gates: addresses, snippet, isTls, isPlain }: SnippetPlan): string[] {
  const tls = isTls ? " ssl verify required ca-file @system-ca" : "";
  return [
    isPlain ? "# The gates decide." : "# The gates decide on everything that the lane does not take.",
    "backend anteroom",
    ...(isPlain ? [] : [`    http-request set-header Anteroom-Lane ${snippet}`]),
    "    option httpchk GET /.anteroom/health",
    ...addresses.map((address, index) => `    server gate${index + 1} ${serverAddress(address)} check${tls}`),
  ];
}

function originBackend({ name, hostname, address, isTls }: SnippetOrigin, { hasOriginSecret }: SnippetPlan): string[] {
  const tls = isTls ? ` ssl verify required ca-file @system-ca sni str(${hostname})` : "";
  return [
    "# Visitors inside. The origin gets no cookie and no field of anteroom's, and visitors none of its commands.",
    `backend ${name}`,
    "    http-request set-header Cookie \"%[req.fhdr(cookie),regsub('(^|;)[ \\t]*__anteroom_[^;]*','',g),regsub('^[; \\t]+','')]\"",
    "    http-request del-header Cookie if { req.fhdr(cookie) -m len 0 }",
    hasOriginSecret
      ? `    http-request set-header Anteroom-Origin-Secret "\${ANTEROOM_ORIGIN_SECRET}"`
      : "    http-request del-header Anteroom-Origin-Secret",
    "    http-response del-header Anteroom-Command",
    "    http-response del-header CF-Waiting-Room-Command",
    `    server origin ${serverAddress(address)}${tls}`,
  ];
}

/** HAProxy writes `unix@` before the path of a socket. */
function serverAddress(address: string): string {
  return address.replace(/^unix:/, "unix@");
}
