/** Forward authentication as a dynamic configuration of Traefik 3. It copies the gate's answer. */

import { COPIED, FROM_GATES, NOT_TESTED, otherOrigins } from "./forward-auth.ts";
import { heading, type SnippetPlan } from "./plan.ts";

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
    "      rule: (HeaderRegexp(`Anteroom-Poll`, `.*`) || PathRegexp(`/\\.anteroom/draw$`) || QueryRegexp(`__anteroom`, `.*`)) && !PathPrefix(`/.anteroom/auth`)",
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
