/**
 * The fast lane as a configuration of nginx (1.22 and later) with njs (0.7.9 and later): a file for nginx, and a
 * script.
 *
 * nginx finds the room of a plain path as the gate does, by patterns in the gate's order; they look at the target as it
 * came, because nginx's own `$uri` is resolved. The script checks the token and does nothing else, because each of its
 * steps costs some tenths of a µs per request. What is not sure goes to the gates.
 */

import { LANE_PATH_CHARACTERS, type LaneHost } from "../../node/rooms/lane-table.ts";
import { HIDDEN_FIELDS, passedOn, UPSTREAM_TLS, upstreams } from "./nginx-parts.ts";
import { heading, laneNotes, type SnippetPlan } from "./plan.ts";

/** Where Debian's nginx looks for it. */
const SCRIPT = "/etc/nginx/anteroom.js";

/**
 * Cookies of anteroom in one request: of a session, a pass, the lane and a test, and some of other rooms. Others go to
 * the gates.
 */
const COOKIES_MAX = 4;

export function nginxSnippet(plan: SnippetPlan, script = SCRIPT): string {
  const { bind, snippet, origins, hasOriginSecret } = plan;
  const gate = gateUrl(plan);
  const isTls = plan.isTls || origins.some((origin) => origin.isTls);
  const lines = [
    ...[
      ...heading(plan, "the fast lane for nginx 1.22 and later, with njs 0.7.9 and later"),
      `Include this file in http {}. It needs Debian's libnginx-mod-http-js, and the script:`,
      `    anteroom snippet nginx --js > ${script}`,
      ...laneNotes(plan),
    ].map((line) => `# ${line}`),
    "",
    `js_import anteroom from ${script};`,
    "js_set $anteroom_checked anteroom.checked;",
    "variables_hash_max_size 2048;",
    "map_hash_bucket_size 256;",
    "",
    ...upstreams(plan),
    "",
    "# The room of a request: by host, then by the first route that covers the path. Only paths that every origin reads",
    "# alike are in a room here: no escapes, empty segments, dot segments or parameters.",
    'map "$http_host $request_uri" $anteroom_room {',
    '    default "";',
    ...roomPatterns(plan).map((line) => `    ${line}`),
    "}",
    "# These always go to the gates: anteroom's own addresses, polls, marks and passes.",
    'map "$http_anteroom_poll$http_anteroom_pass$http_anteroom_proof $request_uri $http_referer" $anteroom_own {',
    "    default own;",
    '    "~^ (?!\\S*anteroom)\\S* (?!.*(?:__anteroom=|anteroom_pass=))" "";',
    "}",
    ...cookieMaps(),
    "# The token is checked last.",
    `map $anteroom_kept $anteroom_inside { default $anteroom_checked; "~(?:^|;)[ \\t]*__anteroom_" "${gate}"; }`,
    `map "$anteroom_own$anteroom_room" $anteroom_to { default $anteroom_inside; "" "${gate}"; "~^own" "${gate}"; }`,
    "",
    `map $anteroom_to $anteroom_cookie { default $anteroom_kept; "${gate}" $http_cookie; }`,
    `map $anteroom_to $anteroom_snippet { default ""; "${gate}" "${snippet}"; }`,
    ...(hasOriginSecret
      ? ["# The value of --origin-secret.", `map $anteroom_to $anteroom_secret { default "SECRET"; "${gate}" ""; }`]
      : []),
    'map $http_upgrade $anteroom_connection { default upgrade; "" ""; }',
    "",
    "server {",
    `    listen ${bind.startsWith(":") ? bind.slice(1) : bind};`,
    "    # For https: listen 443 ssl http2; with ssl_certificate and ssl_certificate_key.",
    "    client_max_body_size 0;",
    "    # For other proxies alone, and refused from outside.",
    "    location ^~ /.anteroom/auth { return 404; }",
    "    location / {",
    "        proxy_pass $anteroom_to;",
    ...[
      ...(isTls ? UPSTREAM_TLS : []),
      ...passedOn({ cookie: "$anteroom_cookie", secret: hasOriginSecret ? "$anteroom_secret" : '""' }),
      "proxy_set_header Anteroom-Lane $anteroom_snippet;",
      ...HIDDEN_FIELDS,
    ].map((line) => `        ${line}`),
    "    }",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

/** The script: only its keys are of this mesh. */
export function nginxScript(plan: SnippetPlan): string {
  const lines = [
    ...[...heading(plan, "the fast lane's script for nginx with njs"), ...laneNotes(plan)].map((line) => `// ${line}`),
    "",
    "import crypto from 'crypto';",
    "",
    `const GATE = '${gateUrl(plan)}';`,
    "",
    "// By room: the variable with its token, where its visitors inside go, and its keys by the first part of a token.",
    "const ROOMS = {",
    ...plan.origins.flatMap(({ name, isTls, rooms }) =>
      rooms.flatMap(({ id, cookie, keys }) => [
        `    '${id}': {`,
        `        token: 'cookie_${cookie}',`,
        `        to: '${isTls ? "https" : "http"}://${name}',`,
        "        keys: {",
        ...keys.map(({ header, key }) => `            '${header}': '${key}',`),
        "        },",
        "    },",
      ]),
    ),
    "};",
    "",
    ...CHECK,
  ];
  return `${lines.join("\n")}\n`;
}

const CHECK = [
  "// Where a request goes whose target is in a room: to the origin if its token is good, else to the gates.",
  "function checked(r) {",
  "    const room = ROOMS[r.variables.anteroom_room];",
  "    const token = r.variables[room.token];",
  "    if (!token) return GATE;",
  "    const first = token.indexOf('.') + 1;",
  "    const last = token.lastIndexOf('.');",
  "    const key = room.keys[token.slice(0, first - 1)];",
  "    if (key === undefined || last < first) return GATE;",
  "    const signature = crypto.createHmac('sha256', key).update(token.slice(0, last)).digest('base64url');",
  "    if (token.slice(last + 1) !== signature) return GATE;",
  "    // The claims are ours from here on. The last one is `exp`; they are read from a whole group of four characters.",
  "    const from = first + Math.floor((last - first - 20) / 4) * 4;",
  "    const end = Buffer.from(token.slice(from, last), 'base64url').toString();",
  "    return parseInt(end.slice(end.lastIndexOf(':') + 1)) * 1000 > Date.now() ? room.to : GATE;",
  "}",
  "",
  "export default { checked };",
];

/** Patterns in the order in which they are tried. */
function roomPatterns({ hosts, lane }: SnippetPlan): string[] {
  const named = hosts.filter(({ host }) => host !== "*").map(({ host }) => escaped(host));
  const others = named.length === 0 ? "\\S*" : `(?!(?:${named.join("|")})[: ])[a-z0-9-]+(?:\\.[a-z0-9-]+)*(?::\\d+)?`;
  const isTaken = (room: string): boolean => lane.some(({ id }) => id === room);
  return hosts.flatMap((host) => {
    const start = `^${host.host === "*" ? others : `${escaped(host.host)}(?::\\d+)?`} `;
    return patternsOf(host, start, isTaken);
  });
}

function patternsOf({ isUniform, routes }: LaneHost, start: string, isTaken: (room: string) => boolean): string[] {
  const [only] = routes;
  if (isUniform && only !== undefined) return [`"~${start}/" "${isTaken(only.room) ? only.room : ""}";`];
  const plain = `(?![^?]*(?://|/\\.|\\.(?:/|\\?|$)))`;
  return routes.flatMap(({ read, written, room }) => {
    const covers = `"~*${start}${escaped(read)}(?:/|\\?|$)" "";`;
    if (written === undefined || !isTaken(room)) return [covers];
    const below = `(?:/[${LANE_PATH_CHARACTERS}]*)?(?:\\?|$)`;
    return [`"~${start}${plain}${escaped(written)}${below}" "${room}";`, covers];
  });
}

/** Takes our cookies out, one by one; `$anteroom_kept` are the others. */
function cookieMaps(): string[] {
  const lines = ["# The cookies without anteroom's."];
  for (let count = 1; count <= COOKIES_MAX; count++) {
    const before = count === 1 ? "$http_cookie" : `$anteroom_cookies_${count - 1}`;
    const pattern = `"~^(?<anteroom_a${count}>[ \\t]*|.*?;[ \\t]*)__anteroom_[^;]*(?:;[ \\t]*|$)(?<anteroom_b${count}>.*)$"`;
    const rest = `"$anteroom_a${count}$anteroom_b${count}"`;
    lines.push(`map ${before} $anteroom_cookies_${count} { default ${before}; ${pattern} ${rest}; }`);
  }
  const last = `$anteroom_cookies_${COOKIES_MAX}`;
  lines.push(`map ${last} $anteroom_kept { default ${last}; "~^(?<anteroom_a0>.*?)[; \\t]+$" $anteroom_a0; }`);
  return lines;
}

function gateUrl({ isTls }: SnippetPlan): string {
  return `${isTls ? "https" : "http"}://anteroom`;
}

/** A host or plain path as it stands in a pattern. */
function escaped(text: string): string {
  return text.replace(/[.+]/g, "\\$&");
}
