/**
 * All commands: the one table for parser, help and docs/settings.md.
 *
 * A command's own file implements it; this one defines how it is called.
 */

import { eventFieldHelp } from "../node/config/event-help.ts";
import { CHAOS_OPTIONS } from "./chaos/options.ts";
import { chaos } from "./chaos.ts";
import type { Command } from "./command.ts";
import { configCheck } from "./config-check.ts";
import { demo } from "./demo.ts";
import { DEMO_OPTIONS } from "./demo-options.ts";
import { createEvent, deleteEvent, listEvents, updateEvent } from "./event.ts";
import { FORGET_OPTIONS, forget } from "./forget.ts";
import { init } from "./init.ts";
import { leave } from "./leave.ts";
import { licenses } from "./licenses.ts";
import { CLIENT_OPTIONS, JSON_OPTION, SERVE_OPTIONS } from "./options.ts";
import { PASS_OPTIONS, pass } from "./pass.ts";
import { preview } from "./preview.ts";
import { RECEIPT_OPTIONS, verifyReceipt } from "./receipt-verify.ts";
import { apply, create, exportRooms, get, list, remove, update } from "./room.ts";
import { hold, open, resume } from "./room-buttons.ts";
import { rollout } from "./room-rollout.ts";
import { serve } from "./serve.ts";
import { LOST_NODE } from "./sim/lost-node.ts";
import { SCENARIOS } from "./sim/scenarios.ts";
import { SIMULATE_OPTIONS, simulate } from "./simulate.ts";
import { status } from "./status.ts";
import { version } from "./version.ts";

const NONE = { min: 0, max: 0 };
const ONE = { min: 1, max: 1 };
const FIELDS_MAX = 64;

const SOURCES_NOTE =
  "Each flag can also be given as an environment variable (--tls-cert is ANTEROOM_TLS_CERT) or as a key of the config " +
  "file (tls_cert: …). A flag wins over the environment, the environment over the file. Relative paths start at the " +
  "folder in which the command runs.";

const MESH_NOTE =
  "The first node creates a mesh. Others join it with --join and a copy of mesh.key from the data directory of a " +
  "member; all nodes then share rooms and limits.";

const FIELDS_NOTE =
  "Values are read as YAML: queue_all=true, enabled_origin_commands=[revoke], " +
  "additional_routes='[{host: a.example, path: /}]'. field=@FILE takes the value from a file, " +
  "and page.message=… sets one field of a group.";

const EVENT_NOTE =
  "From the pre-queue on, all new visitors are held in line; from the start to the end the event's own values apply, on all " +
  "nodes at once by their common time. What an event does not set, it inherits from the room. Events of a room do not overlap.";

const EVENT_LIST = {
  title: "Fields:",
  entries: eventFieldHelp().map(({ field, help }) => ({ term: field, text: help })),
};

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
    run: serve,
  },
  {
    name: "config check",
    synopsis: "[flags of serve] [--json]",
    positionals: NONE,
    summary: "show what serve would start with, or every problem",
    notes: [
      "Prints each setting with its value and where it comes from, then the rooms of the rooms file. Takes all flags of " +
        "serve; see anteroom serve --help. Exit code 2 if there are problems.",
    ],
    options: [JSON_OPTION, ...SERVE_OPTIONS.map((option) => ({ ...option, hidden: true as const }))],
    examples: ["anteroom config check --config anteroom.yaml --rooms rooms.yaml"],
    reportsProblems: true,
    run: configCheck,
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
    examples: ["anteroom status --watch", "anteroom status --json --admin 10.0.0.5:8081 --token $TOKEN"],
    run: status,
  },
  {
    name: "room list",
    synopsis: "[--json]",
    positionals: NONE,
    summary: "list the rooms",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom room list"],
    run: list,
  },
  {
    name: "room get",
    synopsis: "NAME [--json]",
    positionals: ONE,
    summary: "show one room as YAML",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom room get shop"],
    run: get,
  },
  {
    name: "room create",
    synopsis: "field=value… | FILE | -",
    positionals: { min: 1, max: FIELDS_MAX },
    summary: "create a room from fields, a file or stdin",
    notes: [FIELDS_NOTE],
    takesFields: true,
    options: CLIENT_OPTIONS,
    examples: [
      "anteroom room create name=shop host=shop.example.com total_active_users=500 new_users_per_minute=100",
      "anteroom room create shop.yaml",
    ],
    run: create,
  },
  {
    name: "room update",
    synopsis: "NAME field=value…",
    positionals: { min: 2, max: FIELDS_MAX },
    summary: "change fields of a room; the others stay as they are",
    notes: [
      `${FIELDS_NOTE} name=… renames the room: its visitors keep their sessions and places. Fields: anteroom room create --help.`,
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room update shop total_active_users=800", "anteroom room update shop suspended=true"],
    run: update,
  },
  {
    name: "room delete",
    synopsis: "NAME",
    positionals: ONE,
    summary: "delete a room",
    options: CLIENT_OPTIONS,
    examples: ["anteroom room delete shop"],
    run: remove,
  },
  {
    name: "room apply",
    synopsis: "FILE | -",
    positionals: ONE,
    summary: "create or update the rooms that a rooms file names",
    notes: ["Rooms that the file does not name stay as they are. Prints what was done to each room."],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room apply rooms.yaml", "anteroom room export | anteroom room apply - --admin 10.0.0.5:8081"],
    run: apply,
  },
  {
    name: "room export",
    synopsis: "[NAME] [--json]",
    positionals: { min: 0, max: 1 },
    summary: "write all rooms, or one, as a rooms file",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom room export > rooms.yaml"],
    run: exportRooms,
  },
  {
    name: "room preview",
    synopsis: "FILE | - | --default",
    positionals: { min: 0, max: 1 },
    summary: "render a page template with example numbers, as HTML",
    options: [
      { flag: "default", help: "write the built-in page as a template to start from; asks no node" },
      ...CLIENT_OPTIONS,
    ],
    notes: ["The file is a template, as a room's custom_page_html is."],
    examples: ["anteroom room preview --default > page.html", "anteroom room preview page.html > preview.html"],
    run: preview,
  },
  {
    name: "room hold",
    synopsis: "NAME",
    positionals: ONE,
    summary: "hold all new visitors in line, until resumed",
    notes: [
      "An order beside the room's document. It survives restarts, rooms files, room apply and room update: only room resume " +
        "or room open, on any node, or deleting the room lifts it.",
      "Prints the command that undoes it.",
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room hold shop"],
    run: hold,
  },
  {
    name: "room open",
    synopsis: "NAME",
    positionals: ONE,
    summary: "admit every visitor, until resumed (limits do not apply)",
    notes: [
      "An order beside the room's document. It survives restarts, rooms files, room apply and room update: only room resume " +
        "or room hold, on any node, or deleting the room lifts it.",
      "Prints the command that undoes it.",
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room open shop"],
    run: open,
  },
  {
    name: "room resume",
    synopsis: "NAME",
    positionals: ONE,
    summary: "undo hold or open: the room works as declared",
    notes: ["Lifts the order and nothing else. Prints the command that undoes it."],
    options: CLIENT_OPTIONS,
    examples: ["anteroom room resume shop"],
    run: resume,
  },
  {
    name: "room rollout",
    synopsis: "NAME --to URL | --stop | --back",
    positionals: ONE,
    summary: "move new sessions to a new origin, step by step",
    notes: [
      "1 % of new sessions at first, half as much again every 5 minutes, all of them after an hour; existing sessions stay where they " +
        "are. If more than 5 % of the new origin's requests fail within a minute, and more than twice as many as at the old " +
        "one, or if it is down, every node sends new sessions to the old origin again. Needs a room with an origin of its own.",
    ],
    options: [
      { flag: "to", placeholder: "URL", help: "the new origin, which must answer; also continues a stopped rollout" },
      { flag: "stop", help: "keep the current share of new sessions" },
      { flag: "back", help: "send new sessions to the old origin again" },
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom room rollout shop --to http://10.0.0.2:3000", "anteroom room rollout shop --back"],
    run: rollout,
  },
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
      "anteroom room update ROOM pass_generation=2 withdraws all passes that were made before.",
    ],
    options: [...PASS_OPTIONS, JSON_OPTION, ...CLIENT_OPTIONS],
    examples: [
      "anteroom pass shop --key order-1041 --url https://shop.example.com/",
      "anteroom pass shop --key member-77 --lane 1 --expires 12h",
      "anteroom pass shop --staff --expires 365d",
      "anteroom pass shop --csv guests.csv --url https://shop.example.com/ > links.csv",
    ],
    run: pass,
  },
  {
    name: "event create",
    synopsis: "ROOM field=value… | FILE | -",
    positionals: { min: 2, max: FIELDS_MAX },
    summary: "create an event of a room, such as a sale",
    notes: [EVENT_NOTE],
    list: EVENT_LIST,
    options: CLIENT_OPTIONS,
    examples: [
      "anteroom event create shop name=sale event_start_time=2026-11-27T10:00:00Z event_end_time=2026-11-27T12:00:00Z " +
        "prequeue_start_time=2026-11-27T09:30:00Z shuffle_at_event_start=true",
      "anteroom event create shop sale.yaml",
    ],
    run: createEvent,
  },
  {
    name: "event list",
    synopsis: "ROOM [--json]",
    positionals: ONE,
    summary: "list the events of a room",
    options: [JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom event list shop"],
    run: listEvents,
  },
  {
    name: "event update",
    synopsis: "ROOM NAME field=value…",
    positionals: { min: 3, max: FIELDS_MAX },
    summary: "change fields of an event; the others stay as they are",
    notes: ["field=null inherits from the room again.", EVENT_NOTE],
    list: EVENT_LIST,
    options: CLIENT_OPTIONS,
    examples: [
      "anteroom event update shop sale event_start_time=2026-11-27T10:15:00Z",
      "anteroom event update shop sale suspended=true",
    ],
    run: updateEvent,
  },
  {
    name: "event delete",
    synopsis: "ROOM NAME",
    positionals: { min: 2, max: 2 },
    summary: "delete an event of a room",
    options: CLIENT_OPTIONS,
    examples: ["anteroom event delete shop sale"],
    run: deleteEvent,
  },
  {
    name: "receipt verify",
    synopsis: "FILE | - [--log FILE]… [--json]",
    positionals: ONE,
    summary: "check that a visitor's receipt is real, and called in order",
    notes: [
      "Works offline and without a node. FILE is what a visitor saved from /.anteroom/receipt. With --log it must be signed by " +
        "a node that the log lists, and the log shows whether somebody behind its place was let in first.",
      "Exit code 0: the receipt is valid, and nobody overtook it; 1: the log does not say; 3: the receipt is damaged, forged, " +
        "expired or foreign, or the log contradicts it or itself.",
    ],
    options: [...RECEIPT_OPTIONS, JSON_OPTION],
    examples: ["anteroom receipt verify anteroom-receipt.json --log log.jsonl"],
    run: verifyReceipt,
  },
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
    run: leave,
  },
  {
    name: "forget",
    synopsis: "NODE… --i-am-sure",
    positionals: { min: 1, max: FIELDS_MAX },
    summary: "remove nodes that are gone for good and run nowhere",
    notes: [
      "You confirm that NODE runs nowhere and that its data directory is gone. Name several lost nodes in one command. No " +
        "vote checks this: if NODE still runs, limits can be exceeded. In a split, give this order on one side only. NODE is " +
        "an id, or a beginning or end of it that no other node has, as anteroom status shows it.",
      "Scripts may repeat the command: a node that is no longer a member counts as forgotten. Exit code 0: NODE is no member; " +
        "1: not done in time; 4: NODE answers, so run anteroom leave there.",
    ],
    options: [{ flag: "i-am-sure", help: "confirm all of this" }, ...FORGET_OPTIONS, JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom forget 77aa91b2 --i-am-sure", "anteroom forget 77aa91b2 --i-am-sure --timeout 2m --json"],
    run: forget,
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
    run: init,
  },
  {
    name: "demo",
    synopsis: "[flags]",
    positionals: NONE,
    summary: "run a small shop, its gate and a spike of visitors",
    notes: [
      "Needs no setup and leaves nothing behind. Exit code 3 if a limit was exceeded.",
      "With --nodes it runs that many processes as one mesh on loopback, and each request of a visitor goes to any gate. " +
        "With more than two nodes, one is killed half way.",
    ],
    options: DEMO_OPTIONS,
    examples: [
      "anteroom demo",
      "anteroom demo --minutes 1 --rate 20 --json",
      "anteroom demo --nodes 5 --localities sjc,lon,del",
      "anteroom demo --shop-only --listen 127.0.0.1:3000",
    ],
    reportsProblems: true,
    run: demo,
  },
  {
    name: "simulate",
    synopsis: "[flags]",
    positionals: NONE,
    summary: "run whole nodes on a virtual clock, and check the promises",
    notes: [
      "The nodes are those of serve, with time, network and disks in memory; a seed gives the same run on any machine. The exit " +
        "code is 3 when a check fails.",
    ],
    list: {
      title: "Scenarios:",
      entries: [
        ...SCENARIOS.map(({ name, summary }) => ({ term: name, text: summary })),
        {
          term: LOST_NODE,
          text: "what the loss of the richest node costs: gone, back, cut off or restarted, in small and full rooms; takes minutes",
        },
        { term: "policies", text: "the ways to hand out slots, side by side" },
        {
          term: "origin",
          text: "an origin that collapses under load, with and without pacing; takes minutes",
        },
        { term: "growth", text: "messages and bytes per node as a mesh grows" },
      ],
    },
    options: SIMULATE_OPTIONS,
    examples: [
      "anteroom simulate --seeds 200",
      "anteroom simulate --scenario flash --html flash.html",
      "anteroom simulate --scenario policies",
    ],
    run: simulate,
  },
  {
    name: "chaos",
    synopsis: "[flags]",
    positionals: NONE,
    summary: "break it on purpose: real nodes, real visitors, and a verdict",
    notes: [
      "Starts nodes as processes on loopback, visitors and an origin that counts; kills, freezes, wipes, restarts and " +
        "cuts off nodes; then says which promises held. Needs no rights and leaves nothing behind, unless a check failed: " +
        "then exit code 3, and the nodes' logs are kept. Exit code 5 means not judged: checks failed, no limit was " +
        "exceeded, and the machine was too busy to run the nodes.",
      "A plan names faults: kill, pause (SIGSTOP), wipe, restart, cut, mute (not heard, but hears), delay (with by: " +
        "200ms), loss (with part: 0.3). restart restarts its nodes one by one. --json also prints the plan.",
    ],
    options: CHAOS_OPTIONS,
    examples: [
      "anteroom chaos",
      "anteroom chaos --duration 60s --seed 7 --json",
      "anteroom chaos --nodes 3 --plan faults.yaml   # - { at: 20s, what: cut, node: 1, for: 8s }",
    ],
    reportsProblems: true,
    run: chaos,
  },
  {
    name: "version",
    synopsis: "",
    positionals: NONE,
    summary: "show the version",
    options: [],
    examples: ["anteroom version"],
    run: version,
  },
  {
    name: "licenses",
    synopsis: "",
    positionals: NONE,
    summary: "show the licences of anteroom and of all that it contains",
    options: [],
    examples: ["anteroom licenses"],
    run: licenses,
  },
];
