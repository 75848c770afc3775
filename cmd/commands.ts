/**
 * All commands: the one table that feeds parser, help and docs/settings.md.
 *
 * A command's own file says how it is done; this one says how it is called.
 */

import { CHAOS_OPTIONS } from "./chaos/options.ts";
import { chaos } from "./chaos.ts";
import type { Command } from "./command.ts";
import { configCheck } from "./config-check.ts";
import { demo } from "./demo.ts";
import { DEMO_OPTIONS } from "./demo-options.ts";
import { FORGET_OPTIONS, forget } from "./forget.ts";
import { init } from "./init.ts";
import { leave } from "./leave.ts";
import { licenses } from "./licenses.ts";
import { CLIENT_OPTIONS, JSON_OPTION, SERVE_OPTIONS } from "./options.ts";
import { preview } from "./preview.ts";
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
  "file (tls_cert: …). A flag wins over the environment, the environment over the file. Paths are taken from the " +
  "folder that the command runs in.";

const MESH_NOTE =
  "The first node founds a mesh. Others join it with --join and a copy of mesh.key from the data directory of a node " +
  "that is in it; rooms and limits are then those of all nodes together.";

const FIELDS_NOTE =
  "Values are read as YAML: queue_all=true, enabled_origin_commands=[revoke], " +
  "additional_routes='[{host: a.example, path: /}]'. custom_page_html=@FILE takes the page from a file.";

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
    summary: "show how full the rooms are, who waits, how the mesh is",
    options: [
      { flag: "watch", help: "keep showing it, once a second, until Ctrl-C" },
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
    summary: "make a new room from fields, a file or stdin",
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
      `${FIELDS_NOTE} name=… renames the room: its visitors stay inside and in line. Fields: anteroom room create --help.`,
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
    synopsis: "FILE | -",
    positionals: ONE,
    summary: "render a page template with made-up numbers, as HTML",
    options: CLIENT_OPTIONS,
    notes: ["The file holds what would be a room's custom_page_html."],
    examples: ["anteroom room preview page.html > preview.html"],
    run: preview,
  },
  {
    name: "room hold",
    synopsis: "NAME",
    positionals: ONE,
    summary: "hold everybody who is not inside, until resumed",
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
    summary: "let everybody in, until resumed (limits do not apply)",
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
    summary: "take hold or open back: the room works as declared",
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
      "1 % of new sessions at first, half as much again every 5 minutes, all of them after an hour; sessions stay where they " +
        "are. If more than 5 % of the new origin's requests fail within a minute, and more than twice as many as at the old " +
        "one, or if it is down, every node sends new sessions to the old origin again. Needs a room with an origin of its own.",
    ],
    options: [
      { flag: "to", placeholder: "URL", help: "the new origin, which must answer; goes on with one that was stopped" },
      { flag: "stop", help: "keep the part of new sessions that it has now" },
      { flag: "back", help: "send new sessions to the old origin again" },
      ...CLIENT_OPTIONS,
    ],
    examples: ["anteroom room rollout shop --to http://10.0.0.2:3000", "anteroom room rollout shop --back"],
    run: rollout,
  },
  {
    name: "leave",
    synopsis: "",
    positionals: NONE,
    summary: "take this node out of the mesh for good, and end it",
    notes: [
      "Its shares, sessions and line go to another node: nobody loses a place, and nothing lies idle. To stop a node that " +
        "will be started again, end its process with SIGTERM instead.",
    ],
    options: CLIENT_OPTIONS,
    examples: ["anteroom leave"],
    run: leave,
  },
  {
    name: "forget",
    synopsis: "NODE… --i-am-sure",
    positionals: { min: 1, max: FIELDS_MAX },
    summary: "give up nodes that are gone for good and run nowhere",
    notes: [
      "Your word that NODE runs nowhere and its data directory is gone; several that are lost go into one command. It is " +
        "believed without a vote: if NODE runs on, " +
        "limits can be passed; of two sides of a split only one may be given this word. NODE is its id, or an ending or " +
        "beginning that no other node has, such as anteroom status shows.",
      "For scripts: what is no member any more is granted, so the same word may be given again. The exit code is 0 once NODE is no " +
        "member, 1 if it could not be done in time, 4 if NODE answers: it leaves by itself, with anteroom leave.",
    ],
    options: [{ flag: "i-am-sure", help: "that all of this holds" }, ...FORGET_OPTIONS, JSON_OPTION, ...CLIENT_OPTIONS],
    examples: ["anteroom forget 77aa91b2 --i-am-sure", "anteroom forget 77aa91b2 --i-am-sure --timeout 2m --json"],
    run: forget,
  },
  {
    name: "init",
    synopsis: "[--data DIR]",
    positionals: NONE,
    summary: "make a data directory with new keys (found a mesh)",
    notes: ["serve does the same when it first starts with neither --join nor --mesh-key."],
    options: CLIENT_OPTIONS.filter(({ flag }) => flag === "data").map((option) => ({
      ...option,
      help: "the directory to make; also ANTEROOM_DATA",
    })),
    examples: ["anteroom init --data /var/lib/anteroom"],
    run: init,
  },
  {
    name: "demo",
    synopsis: "[flags]",
    positionals: NONE,
    summary: "show it at work: a small shop, its gate, a spike of visitors",
    notes: [
      "Needs no setup and leaves nothing behind. Exit code 3 if a limit was passed.",
      "With --nodes it runs that many processes on loopback, one mesh, and visitors who come to any of their gates with " +
        "each request. Half way, one of more than two nodes is killed.",
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
          text: "an origin that collapses under too many, with the rules of the pace and without; takes minutes",
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
        "exceeded, and the nodes were kept from running by other work of the machine.",
      "A plan names faults: kill, pause (SIGSTOP), wipe, restart, cut, mute (not heard, but hears), delay (with by: " +
        "200ms), loss (with part: 0.3). restart takes its nodes one after the other. --json ends with the plan too.",
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
