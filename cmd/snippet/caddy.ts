/** Forward authentication, or all requests to the gates, as a configuration of Caddy (2.6 and later). */

import { COOKIES, forwardAuthNotes } from "./forward-auth.ts";
import { heading, type SnippetPlan } from "./plan.ts";

export function caddySnippet(plan: SnippetPlan): string {
  const { bind, gates, isTls, isPlain, tlsFiles } = plan;
  const gate = gates.map((address) => `${isTls ? "https://" : ""}${caddyAddress(address)}`).join(" ");
  const [, host = "", port = "80"] = /^(.*):(\d+)$/.exec(bind) ?? [];
  const lines = [
    ...[
      ...heading(plan, "forward authentication", "Caddy 2.6 and later"),
      ...forwardAuthNotes(plan),
      "With the site's name in place of the scheme and the port, Caddy gets a certificate for https by itself.",
    ].map((line) => `# ${line}`),
    `${tlsFiles === undefined ? "http" : "https"}://:${port} {`,
    ...(tlsFiles === undefined ? [] : [`\ttls ${tlsFiles.cert} ${tlsFiles.key}`]),
    ...(host === "" ? [] : [`\tbind ${host}`]),
    "\troute {",
    "\t\t# Refused from outside.",
    "\t\t@anteroom_auth path /.anteroom/auth /.anteroom/auth/*",
    "\t\trespond @anteroom_auth 404",
    "\t\t# What only a proxy may say.",
    ...[
      "Forwarded",
      "X-Forwarded-*",
      "X_Forwarded_*",
      "X-Original-*",
      "X_Original_*",
      "X-Rewrite-*",
      "X_Rewrite_*",
    ].map((name) => `\t\trequest_header -${name}`),
    "\t\t# Only the gate's answer has these; some versions keep a visitor's own where the answer has none.",
    "\t\trequest_header -Anteroom-Set-Cookie-*",
    "\t\t# Of protocols to change to, only WebSocket.",
    "\t\t@anteroom_upgrade not header Upgrade websocket",
    "\t\trequest_header @anteroom_upgrade -Upgrade",
    ...(isPlain ? [`\t\treverse_proxy ${gate}`] : asking(plan, gate)),
    "\t}",
    "}",
  ];
  return `${lines.join("\n")}\n`;
}

/** The question to a gate, and where each answer leads. */
function asking({ origins: [origin], hasOriginSecret }: SnippetPlan, gate: string): string[] {
  const to = origin === undefined ? gate : `${origin.isTls ? "https://" : ""}${caddyAddress(origin.address)}`;
  return [
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
  ];
}

function caddyAddress(address: string): string {
  return address.replace(/^unix:/, "unix/");
}
