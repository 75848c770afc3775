/**
 * All commands: the one table for parser, help and docs/settings.md.
 *
 * A command's own file implements it; the table defines how it is called. Commands on rooms, on events, and for trials
 * have tables of their own.
 */

import { type Command, FIELDS_MAX, isOn, NONE, ONE } from "./command.ts";
import { DRAW_COMMANDS } from "./draw/draw-commands.ts";
import { EVENT_COMMANDS } from "./event/event-commands.ts";
import { FORGET_OPTIONS } from "./mesh/forget.ts";
import { CLIENT_OPTIONS, JSON_OPTION, SERVE_OPTIONS } from "./options.ts";
import { PASS_OPTIONS } from "./pass/pass.ts";
import { ROOM_COMMANDS } from "./room/room-commands.ts";
import { SNIPPET_OPTIONS } from "./snippet/options.ts";
import { TOKEN_COMMANDS } from "./token/token-commands.ts";
import { TRIAL_COMMANDS } from "./trial-commands.ts";
import { WEBHOOK_COMMANDS } from "./webhook/webhook-commands.ts";

const SOURCES_NOTE =
  "Each flag can also be given as an environment variable (--tls-cert is ANTEROOM_TLS_CERT) or as a key of the config " +
  "file (tls_cert: …). A flag wins over the environment, the environment over the file. Relative paths start at the " +
  "folder in which the command runs.";

const MESH_NOTE =
  "The first node creates a mesh. Others join it with --join and a copy of mesh.key from the data directory of a " +
  "member; all nodes then share rooms and limits.";

export const COMMANDS: readonly Command[] = [
  {
    name: "serve",
    synopsis: "[flags]",
    positionals: NONE,
    summary: "run one node: the gate in front of a website",
    notes: [MESH_NOTE, SOURCES_NOTE],
    options: SERVE_OPTIONS,
    examples: [
      "anteroom serve --origin http://127.0.0.1:3000 --rooms rooms.yaml",
      "anteroom serve --origin http://127.0.0.1:3000 --join 10.0.0.1:8082 --mesh-key mesh.key",
      "anteroom serve --config anteroom.yaml --listen :443 --tls-cert chain.pem --tls-key key.pem",
    ],
    reportsProblems: true,
    run: async (call) => (await import("./serve/serve.ts")).serve(call),
  },
  {
    name: "config check",
    synopsis: "[flags of serve] [--diff] [--json]",
    positionals: NONE,
    summary: "show what serve would start with, or every problem",
    notes: [
      "Prints each setting with its value and where it comes from, then the rooms of the rooms file. Takes all flags of " +
        "serve; see anteroom serve --help. Exit code 2 if there are problems.",
      "With --diff it also asks the node that runs at --admin which settings it has otherwise, and changes nothing. Exit code 3 " +
        "if one differs. Rooms are compared by room apply --dry-run.",
    ],
    options: [
      { flag: "diff", help: "also show which settings the running node has otherwise" },
      JSON_OPTION,
      ...SERVE_OPTIONS.map((option) => ({ ...option, hidden: true as const })),
    ],
    examples: [
      "anteroom config check --config anteroom.yaml --rooms rooms.yaml",
      "anteroom config check --config anteroom.yaml --rooms rooms.yaml --diff",
    ],
    reportsProblems: true,
    run: async (call) => (await import("./config/config-check.ts")).configCheck(call),
  },
  {
    name: "status",
    synopsis: "[--watch] [--json]",
    positionals: NONE,
    summary: "show rooms, waiting visitors and the mesh",
    options: [
      { flag: "watch", help: "repeat once a second, until Ctrl-C" },
      { ...JSON_OPTION, help: "answer in JSON; with --watch one line per second" },
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom status --watch", "anteroom status --json --admin 10.0.0.5:8081 --token-file gate5.token"],
    run: async (call) => (await import("./status/status.ts")).status(call),
  },
  {
    name: "doctor",
    synopsis: "[URL] [flags]",
    positionals: { min: 0, max: 1 },
    summary: "say what is wrong with a running site, before a sale and in it",
    notes: [
      "Asks the site at URL from outside, as one visitor who takes one slot or place, and a node by its admin API. Each line is " +
        "ok, a warning or a problem, with the repair. Nothing is changed. Exit code 3 if there is a problem.",
      "With --live or --ready it is the health check of a container: one question to the node of this host, without a token. " +
        "Exit code 0: it runs, or is ready; 1: not, or nothing answers.",
    ],
    options: [
      {
        flag: "webhook",
        placeholder: "PATH",
        repeatable: true,
        help: "a path to which a server sends POST, such as notices of payments: does it pass a full room? Nothing is sent there",
      },
      { flag: "live", help: "only whether the node of this host runs" },
      { flag: "ready", help: "only whether it is ready for visitors: it does not join or drain, and its disk is well" },
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    examples: [
      "anteroom doctor https://shop.example.com/ --webhook /hooks/payment",
      "anteroom doctor https://shop.example.com/ --json --admin 10.0.0.5:8081 --token-file gate5.token",
      "anteroom doctor --ready",
    ],
    run: async (call) =>
      isOn(call, "live") || isOn(call, "ready")
        ? (await import("./doctor/health.ts")).health(call)
        : (await import("./doctor/doctor.ts")).doctor(call),
  },
  ...ROOM_COMMANDS,
  {
    name: "pass",
    synopsis: "ROOM [flags]",
    positionals: ONE,
    summary: "make passes for a room: invitations, lanes and staff",
    notes: [
      "A visitor shows a pass in a link (?anteroom_pass=…), a program in the header Anteroom-Pass. A pass without a key is good " +
        "for any number of visitors at once. Anybody who has a pass can use it and read its key.",
      "With --csv, a line with the columns' names comes first; other columns are copied, and a column pass or link is added. " +
        "--lane, --expires and --staff hold for rows that do not say otherwise.",
      "--wave numbers the rows from 1. --pause stops the wave, for passes that were sent out already as well; anteroom status says how far it is.",
      "anteroom room update ROOM pass_generation=2 withdraws all passes that were made before.",
    ],
    options: [...PASS_OPTIONS, JSON_OPTION, ...CLIENT_OPTIONS],
    examples: [
      "anteroom pass shop --key order-1041 --url https://shop.example.com/",
      "anteroom pass shop --key member-77 --lane 1 --expires 12h",
      "anteroom pass shop --staff --expires 365d",
      "anteroom pass shop --csv guests.csv --url https://shop.example.com/ > links.csv",
      "anteroom pass shop --csv guests.csv --wave 500/10m --url https://shop.example.com/ > links.csv",
      "anteroom pass shop --pause wave",
    ],
    run: async (call) => (await import("./pass/pass.ts")).pass(call),
  },
  {
    name: "visitor",
    synopsis: "ROOM NUMBER [flags]",
    positionals: { min: 2, max: 2 },
    summary: "find, admit next, put back, remove or block a visitor",
    notes: [
      "The node learns where the visitor is when the page asks the next time, so this takes up to 2.5 refresh intervals.",
    ],
    options: [
      {
        flag: "admit",
        help: "put the visitor at the front of the line: the next free slot is theirs, and no limit is exceeded",
      },
      {
        flag: "put-back",
        placeholder: "TIME",
        help: "give the place of an earlier moment, within 24 hours: 10:02 in UTC, or 2026-11-27T10:02:00Z; never a worse place",
      },
      { flag: "remove", help: "take place or session away: the visitor may join again at the end of the line" },
      {
        flag: "block",
        help: "take place or session away, and let the visitor have neither until the end of the block",
      },
      { flag: "for", placeholder: "SPAN", help: "with --block: how long, such as 12h or 3d, the most; without it 24h" },
      { flag: "unblock", help: "end the block of a visitor now" },
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    examples: [
      "anteroom visitor shop 4QK7-X2MD",
      "anteroom visitor shop 4QK7-X2MD --admit",
      "anteroom visitor shop 4QK7-X2MD --put-back 10:02",
      "anteroom visitor shop 4QK7-X2MD --block --for 12h",
    ],
    run: async (call) => (await import("./visitor/visitor.ts")).visitor(call),
  },
  ...EVENT_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...TOKEN_COMMANDS,
  {
    name: "snippet",
    synopsis: "PROXY [flags]",
    positionals: ONE,
    summary: "print a configuration for a proxy in front, or for Kubernetes",
    notes: [
      "PROXY is haproxy: with it, visitors inside pass the gates by (the fast lane). The text has keys that let " +
        "visitors in: only the proxy may read it. Print it again after a change of hosts, paths or origins of rooms; " +
        "anteroom status says when a proxy has an old one.",
      "Or it is nginx or caddy: the proxy asks a gate about each request (forward authentication).",
      "With --plain, any of them passes all requests to the gates: nothing to print again, and no keys.",
      "Or it is kubernetes: a mesh for kubectl apply, with your values in place of the examples. No node is asked.",
    ],
    options: [...SNIPPET_OPTIONS, ...CLIENT_OPTIONS],
    examples: [
      "anteroom snippet haproxy > /etc/haproxy/haproxy.cfg",
      "anteroom snippet nginx --plain --tls-cert /etc/ssl/shop.pem --tls-key /etc/ssl/shop.key > /etc/nginx/conf.d/anteroom.conf",
      "anteroom snippet nginx --room shop --gate 10.0.0.1:8080 --gate 10.0.0.2:8080 > /etc/nginx/conf.d/anteroom.conf",
      "anteroom snippet kubernetes --rooms rooms.yaml --host shop.example.com --tls-secret shop-tls > anteroom.yaml",
    ],
    run: async (call) => (await import("./snippet/snippet.ts")).snippet(call),
  },
  {
    name: "key",
    synopsis: "[ROOM] [--rotate | --leaked]",
    positionals: { min: 0, max: 1 },
    summary: "show or rotate the keys of the fast lane, or for an origin",
    notes: [
      "Without ROOM: the keys of the fast lane, which are in the snippets of the proxies. With ROOM: the keys of the header " +
        "Anteroom-Visitor, for the origin.",
      "Each has two keys: the one with which the gates sign, and the next one. So a rotation needs no change at that moment; " +
        "give each proxy a new snippet, or the origin the new pair, before the next one.",
      "If a room's key has leaked, rotate twice, and give the origin the new pair at once.",
    ],
    options: [
      { flag: "rotate", help: "make all gates sign with the next key, which the others accept already" },
      {
        flag: "leaked",
        help: "make all gates sign with a key that no snippet has: visitors go through the gates until then",
      },
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom key --rotate", "anteroom key shop", "anteroom key shop --rotate"],
    run: async (call) => (await import("./key.ts")).key(call),
  },
  {
    name: "report",
    synopsis: "NAME [--html FILE | --csv | --json] [flags]",
    positionals: ONE,
    summary: "say what happened in a room, with a page for its owner",
    notes: [
      "The verdict comes first: whether the limit was kept, who waited and for how long, and what held visitors back. With --html it " +
        "also writes one page with plots, which loads nothing from outside and prints.",
      "The figures are those of all nodes, for up to 30 days, also of a room that was deleted meanwhile. --csv and --json have those " +
        "of each step; docs/analytics.md says what each is.",
    ],
    options: [
      { flag: "from", placeholder: "TIME", help: "the beginning: -2h, -7d, or 2026-11-27T10:00:00Z", fallback: "-24h" },
      { flag: "to", placeholder: "TIME", help: "the end, in the same form", fallback: "now" },
      {
        flag: "step",
        placeholder: "SPAN",
        help: "length of a step: 1m, 15m, 1h, 1d; by default as long as suits the span",
      },
      { flag: "html", placeholder: "FILE", help: "write the page to this file" },
      { flag: "title", placeholder: "TEXT", help: "heading of the page; by default the name of the room" },
      {
        flag: "time-zone",
        placeholder: "ZONE",
        help: "of all times, such as Europe/Berlin; by default that of this host",
      },
      { flag: "csv", help: "answer with the figures of each step in CSV, and nothing else" },
      { ...JSON_OPTION, help: "answer in JSON: the verdict, and the figures of each step" },
      ...CLIENT_OPTIONS,
    ],
    examples: [
      "anteroom report shop --from -1d --html sale.html",
      'anteroom report shop --from 2026-11-27T09:00:00Z --html sale.html --title "Winter sale" --time-zone Europe/Berlin',
      "anteroom report shop --from -7d --step 1h --csv > shop.csv",
    ],
    run: async (call) => (await import("./report/report.ts")).report(call),
  },
  ...DRAW_COMMANDS,
  {
    name: "leave",
    synopsis: "",
    positionals: NONE,
    summary: "remove this node from the mesh for good, and end it",
    notes: [
      "Its shares, sessions and line go to another node: no visitor loses a place, and no slot is idle. To stop a node that " +
        "you will start again, send its process SIGTERM instead.",
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom leave"],
    run: async (call) => (await import("./mesh/leave.ts")).leave(call),
  },
  {
    name: "forget",
    synopsis: "NODE… --i-am-sure",
    // The command itself says that one is missing: in JSON, if it was asked for.
    positionals: { min: 0, max: FIELDS_MAX },
    summary: "remove nodes that are gone for good and run nowhere",
    notes: [
      "You confirm that NODE runs nowhere and that its data directory is gone. Name several lost nodes in one command. No " +
        "vote checks this: if NODE still runs, limits can be exceeded. In a split, give this order on one side only. NODE is " +
        "a name, an id, or a beginning or end of an id, that no other node has, as anteroom status shows it.",
      "Scripts may repeat the command: a node that is no longer a member counts as forgotten. Exit code 0: NODE is no member; " +
        "1: not done in time; 4: NODE answers, so run anteroom leave there.",
    ],
    options: [{ flag: "i-am-sure", help: "confirm all of this" }, ...FORGET_OPTIONS, JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom forget gate3 --i-am-sure", "anteroom forget 77aa91b2 --i-am-sure --timeout 2m --json"],
    run: async (call) => (await import("./mesh/forget.ts")).forget(call),
  },
  {
    name: "init",
    synopsis: "[--data DIR]",
    positionals: NONE,
    summary: "create a data directory with new keys (for a new mesh)",
    notes: ["serve does the same when it first starts with neither --join nor --mesh-key."],
    options: CLIENT_OPTIONS.filter(({ flag }) => flag === "data").map((option) => ({
      ...option,
      help: "the directory to create; also ANTEROOM_DATA",
    })),
    examples: ["anteroom init --data /var/lib/anteroom"],
    run: async (call) => (await import("./mesh/init.ts")).init(call),
  },
  ...TRIAL_COMMANDS,
];
