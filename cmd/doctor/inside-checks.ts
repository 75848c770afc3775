/**
 * What a node says about a site: the findings from its status, rooms, settings and webhooks, without any I/O.
 *
 * The node's own warnings are findings already, with their repairs: they are sorted to the checks here, and no rule of
 * theirs is made again.
 */

import { OFF_MS_MAX } from "../../mesh/core/members/clock-offset.ts";
import { toText } from "../../mesh/seed-addresses.ts";
import { cutOffText } from "../../node/config/cut-off-figures.ts";
import { readListenAddress } from "../../node/config/readers.ts";
import type { Room } from "../../node/config/room.ts";
import { startWarnings } from "../../node/config/start-warnings.ts";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { count, number, span } from "../print.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";
import type { Inside } from "./inside.ts";

/** Which check a warning of a node belongs to, and whether visitors or sales are lost by it. All others are the node's. */
const TOPICS: readonly (readonly [check: string, pattern: RegExp, find: typeof problem])[] = [
  ["address", / sends? X-Forwarded-\* fields but /, problem],
  ["origin", /^room \S+: (?:no origin answers|its origin )/, problem],
  [
    "mesh",
    / ha(?:s|ve) not answered|^no member has admitted this node|^this node has a mesh key but no state/,
    problem,
  ],
  ["clock", /^the clock (?:of|is) /i, problem],
  ["payments", /^room \S+ (?:turned away|could not pass on) /, problem],
  ["alerts", /^webhook /, problem],
  ["limits", /within ten minutes |^there is no room and no --origin|^room \S+ draws places/, warning],
];

/** A page that takes longer breaks a visitor's flow of thought (Nielsen, 1993). */
const SLOW_MS = 1_000;

const RESTART = "start what is down; anteroom status names it";

/** Prometheus asks every minute at most: three that are missed are no reading. */
const METRICS_MS_MAX = 180_000;

/** `pageMs`: how long a page of the site took; undefined if none was seen. */
export function insideFindings(inside: Inside, pageMs: number | undefined): readonly Finding[] {
  const { status, rooms } = inside;
  const said = status.warnings.map((text) => {
    const [check, , find] = TOPICS.find(([, pattern]) => pattern.test(text)) ?? ["node", undefined, warning];
    return find(check, text);
  });
  const own = [
    ok("node", `${status.name ?? status.node} runs anteroom ${status.version}, up ${span(status.uptime_seconds)}`),
    ...originFindings(status),
    ...meshFindings(status),
    clockFinding(inside),
    ...limitFindings(inside, pageMs),
    pageFinding(rooms),
    alertFinding(inside),
  ];
  return [
    ...own.filter(({ check, verdict }) => verdict !== "ok" || !said.some((each) => each.check === check)),
    ...said,
  ];
}

function originFindings({ rooms }: NodeStatus): Finding[] {
  const urls = [...new Set(rooms.flatMap(({ origin }) => origin?.targets.map(({ url }) => url) ?? []))];
  return urls.length === 0 ? [] : [ok("origin", `${count(urls.length, "origin")} up: ${urls.join(", ")}`)];
}

/** Who is there, who must be, and what the next loss costs. */
function meshFindings({ members, view, lease, cut_off: cutOff }: NodeStatus): Finding[] {
  if (view === null) return [];
  const voters = members.filter(({ voter, state }) => voter && (state === "alive" || state === "unreachable"));
  const silent = voters.filter(({ state, self }) => !self && state !== "alive").length;
  const spare = voters.length - silent - (Math.floor(voters.length / 2) + 1);
  const hosts = new Set(members.map(({ addresses: [first = "/"] = [] }) => toText(first).replace(/:\d+$/, "")));
  const three = "run three nodes on three hosts: docs/operate.md";
  if (lease === "none") return [problem("mesh", "this node has no lease: it admits nobody", "see anteroom status")];
  if (view.members === 1) return [warning("mesh", "there is one node: without it the site is down", three)];
  if (view.members === 2) return [warning("mesh", "there are two nodes: if one is lost, its share is idle", three)];
  if (spare < 1)
    return [problem("mesh", `${silent} of ${voters.length} voters silent: the next loss stops admission`, RESTART)];
  if (hosts.size === 1) return [warning("mesh", "all nodes are on one host: its loss is the loss of all", three)];
  const figures = cutOff && { browsesMs: cutOff.browses_ms, idleMs: cutOff.idle_ms };
  const cost = figures === undefined ? "" : `. ${cutOffText(figures)}`;
  return [ok("mesh", `${view.members} nodes, of which ${voters.length} vote; ${spare} may be lost${cost}`)];
}

function clockFinding({ status: { members, now_ms: theirMs }, nowMs }: Inside): Finding {
  const others = members.flatMap(({ self, clock_offset_ms: ms }) => (self || ms === null ? [] : [Math.abs(ms)]));
  const offMs = Math.abs(theirMs - nowMs);
  const off = `the node's clock is ${number(offMs)} ms from this host's`;
  if (offMs > OFF_MS_MAX) return warning("clock", off, "keep both by NTP");
  return ok(
    "clock",
    others.length === 0 ? off : `${off}, the others' at most ${number(Math.max(...others))} ms from it`,
  );
}

function limitFindings({ rooms, settings, status }: Inside, pageMs: number | undefined): Finding[] {
  const settingOf = (name: string) => settings?.find(({ setting }) => setting === name)?.value;
  const listen = readListenAddress(settingOf("listen") ?? "");
  const origin = settingOf("origin");
  const looked = {
    listen: "value" in listen ? listen.value : { host: "", port: 0 },
    origin: origin === "(none)" ? undefined : origin,
  };
  const found = startWarnings(looked, rooms, []).map((text) => warning("limits", text));
  for (const { name, state } of status.rooms)
    if (["passthrough", "suspended", "held"].includes(state))
      found.push(warning("limits", `room ${name} is ${state}`, `by an order? anteroom room resume ${name}`));
  if (pageMs !== undefined && pageMs > SLOW_MS)
    found.push(
      warning("limits", `a page takes ${span(pageMs / 1_000)} already`, "rehearse the sale: docs/rehearse.md"),
    );
  if (status.rooms.length === 0)
    found.push(problem("limits", "there is no room: nobody waits", "anteroom room create"));
  if (found.length > 0) return found;
  const limits = status.rooms.map(({ name, total_active_users: inside, new_users_per_minute: perMinute }) => {
    const atOnce = Math.ceil(((pageMs ?? 0) * perMinute) / 60_000);
    const load = pageMs === undefined ? "" : `, for which the origin makes ${count(atOnce, "first page")} at a time`;
    return `${name} takes ${number(inside)} inside and ${number(perMinute)} a minute${load}`;
  });
  return [ok("limits", limits.join("; "))];
}

function pageFinding(rooms: readonly Room[]): Finding {
  const plain = rooms.filter(({ customPageHtml, page }) => `${customPageHtml}${page.title}${page.logo}` === "");
  const names = plain.map(({ name }) => name);
  if (plain.length === 0) return ok("page", "the waiting pages have a brand");
  const repair = `anteroom room update ${names[0]} page.title=… page.logo=https://…`;
  return warning("page", `the waiting page has neither name nor logo: ${names.join(", ")}`, repair);
}

function alertFinding({ webhooks, status: { metrics_read_ms: readMs, now_ms: nowMs } }: Inside): Finding {
  const enabled = webhooks?.filter((webhook) => webhook.enabled).length ?? 0;
  if (enabled > 0) return ok("alerts", `${count(enabled, "webhook")} enabled: anteroom webhook test tries one`);
  const agoMs = nowMs - (readMs ?? 0);
  if (agoMs < METRICS_MS_MAX) return ok("alerts", `the metrics were read ${span(agoMs / 1_000)} ago`);
  const hooks = webhooks === undefined ? "no webhook that the token may see" : "no webhook";
  const repair = "anteroom webhook create, or let Prometheus read /metrics, with deploy/prometheus/alerts.yaml";
  return warning("alerts", `nobody hears of trouble: there is ${hooks}, and nobody reads the metrics`, repair);
}
