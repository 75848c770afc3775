/** The commands that try anteroom out: a demo, a mesh broken on purpose, and a rehearsal. */

import { CHAOS_OPTIONS } from "./chaos/options.ts";
import { type Command, NONE, ONE } from "./command.ts";
import { DEMO_OPTIONS } from "./demo-options.ts";
import { LOAD_OPTIONS } from "./rehearsal/options.ts";

export const TRIAL_COMMANDS: readonly Command[] = [
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
    run: async (call) => (await import("./demo.ts")).demo(call),
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
      "Faults are kill, SIGSTOP, a wiped disk, restarts one by one, a cut, a node that is not heard but hears, delay and " +
        "broken connections, drawn from the seed. --json also prints them.",
    ],
    options: CHAOS_OPTIONS,
    examples: [
      "anteroom chaos",
      "anteroom chaos --duration 60s --seed 7 --json",
      "anteroom chaos --nodes 3 --localities sjc,lon --minute-ms 3000",
    ],
    reportsProblems: true,
    run: async (call) => (await import("./chaos.ts")).chaos(call),
  },
  {
    name: "load",
    synopsis: "URL --i-own-this-site [flags]",
    positionals: ONE,
    summary: "rehearse a sale with visitors on your own staging",
    notes: [
      "Visitors arrive by the plan, whatever the site answers. They keep cookies, wait in line, with and without JavaScript, reload, " +
        "lose patience, look around and leave. Response times count from the moment at which a request was due. It sends " +
        "requests to the host of URL only.",
      "Without --large it stays within moderate amounts. Exit code 3 if an expectation (--max-error-rate, --p95-ms, --max-inside) does " +
        "not hold; 5 if expectations are given, and this program could not keep up with its plan.",
    ],
    options: LOAD_OPTIONS,
    examples: [
      "anteroom load https://staging.example.com/ --i-own-this-site --rate 10..300 --duration 10m --html rehearsal.html",
      "anteroom load https://staging.example.com/ --i-own-this-site --at-once 500 --path / --path /shop --max-inside 200",
    ],
    reportsProblems: true,
    run: async (call) => (await import("./rehearsal.ts")).load(call),
  },
];
