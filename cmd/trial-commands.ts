/** The commands that try anteroom out: a demo, simulated meshes, a mesh broken on purpose, and a rehearsal. */

import { CHAOS_OPTIONS } from "./chaos/options.ts";
import { type Command, type HelpList, NONE, ONE } from "./command.ts";
import { DEMO_OPTIONS } from "./demo-options.ts";
import { LOAD_OPTIONS } from "./rehearsal/options.ts";
import { SIMULATE_OPTIONS } from "./sim/options.ts";

async function scenarios(): Promise<HelpList> {
  const [{ SCENARIOS }, { LOST_NODE }] = await Promise.all([
    import("./sim/scenarios.ts"),
    import("./sim/lost-node.ts"),
  ]);
  return {
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
  };
}

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
    name: "simulate",
    synopsis: "[flags]",
    positionals: NONE,
    summary: "run whole nodes on a virtual clock, and check the promises",
    notes: [
      "The nodes are those of serve, with time, network and disks in memory; a seed gives the same run on any machine. The exit " +
        "code is 3 when a check fails.",
    ],
    list: scenarios,
    options: SIMULATE_OPTIONS,
    examples: [
      "anteroom simulate --seeds 200",
      "anteroom simulate --scenario flash --html flash.html",
      "anteroom simulate --scenario policies",
    ],
    run: async (call) => (await import("./simulate.ts")).simulate(call),
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
