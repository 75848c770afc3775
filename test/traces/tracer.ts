/**
 * Runs a trace: a text file of commands to a simulated mesh, each block followed by `----` and by what then happened.
 * What the real peers, rooms and gates say to each other is written down in words, so that a reviewer reads a protocol
 * as prose, and a change of the protocol shows as a change of these files. The form is that of etcd-raft's `testdata`.
 *
 * | command | what it does |
 * | --- | --- |
 * | `mesh LOCALITY...` | starts one node per entry, n1 first, and waits until all are members |
 * | `room SLOTS` | the room's limit, before `mesh`; arrivals never run short |
 * | `show KIND...` | message kinds that are written down from here on; none by itself |
 * | `visitors N at NODE` | N visitors come, who stay longer than any trace lasts |
 * | `pass SECONDS` | time passes |
 * | `kill NODE`, `start NODE` | the process ends without a word, and is started again |
 * | `leave NODE` | the operator has the node leave |
 * | `back up NODE`, `restore NODE` | the disk is copied while the node runs; the copy is put back under a new process |
 * | `revoke at NODE` | the origin ends the session of the oldest visitor, in an answer at that node |
 * | `shares` | what every node that runs owns and uses |
 */

import type { AccountId } from "../../mesh/core/ids.ts";
import type { Ceilings } from "../../mesh/core/members/ceilings.ts";
import { ROOM, type SimNode } from "../sim/sim-node.ts";
import { World } from "../sim/world.ts";
import { Wiretap } from "./wiretap.ts";

const TIMES = { minuteMs: 60_000, leaseMs: 30_000 };
/** Faster than free slots are spread evenly, so that a trace can show a node that runs out of them. */
const VISITOR_MS = 100;
const JOIN_MS = 60_000;
const END = "----";

/** The trace once more, with what happens now in place of what it says. */
export function traced(text: string): string {
  const tracer = new Tracer();
  return text
    .trim()
    .split(/\n\n+/)
    .map((block) => {
      const lines = block.split("\n").filter((line) => line !== "");
      const at = lines.indexOf(END);
      const commands = at === -1 ? lines : lines.slice(0, at);
      const output = commands.filter((line) => !line.startsWith("#")).flatMap((line) => tracer.run(line));
      return [...commands, ...(output.length === 0 ? [] : [END, ...output])].join("\n");
    })
    .join("\n\n")
    .concat("\n");
}

class Tracer {
  #world: World | undefined;
  #tap: Wiretap | undefined;
  #slots = 12;
  #happened: string[] = [];

  /** Returns what happened. */
  run(line: string): string[] {
    this.#happened = [];
    const { command = "", rest = "" } = /^(?<command>back up|\S+) ?(?<rest>.*)$/.exec(line)?.groups ?? {};
    const words = rest.split(" ");
    switch (command) {
      case "room":
        this.#slots = Number(rest);
        break;
      case "mesh":
        this.#begin(words);
        break;
      case "show":
        this.#tapped.show(words);
        break;
      case "pass":
        this.#there.pass(Number(rest) * 1_000);
        break;
      case "visitors":
        this.#arrive(Number(words[0]), this.#node(words[2]));
        break;
      case "kill":
        this.#node(rest).crash();
        break;
      case "start":
        this.#node(rest).start();
        break;
      case "leave":
        this.#node(rest).leave();
        break;
      case "back up":
        this.#node(rest).backUp();
        break;
      case "restore":
        this.#node(rest).rollBack({ isSameBoot: true });
        break;
      case "revoke":
        this.#there.revoke(this.#there.roomOf(ROOM), 1, this.#node(words[1]));
        break;
      case "shares":
        return this.#shares();
      default:
        throw new Error(
          `Cannot run a trace as each command must be one of tracer.ts: current value is ${JSON.stringify(line)}`,
        );
    }
    return this.#happened;
  }

  /** Nobody reads how a mesh forms here: the trace begins when all are members. */
  #begin(localities: readonly string[]): void {
    const slots = this.#slots;
    const room = { totalActiveUsers: slots, newUsersPerMinute: 600, sessionDuration: 5, refreshIntervalSeconds: 5 };
    const world = new World({
      seed: 3,
      localities,
      ...TIMES,
      room,
      log: (_atMs, text) => this.#world && this.#write(text),
    });
    this.#world = world;
    this.#tap = new Wiretap(world.network, slots, (text) => this.#write(text));
    world.pass(JOIN_MS);
    this.#happened = [];
  }

  #arrive(count: number, { locality }: SimNode): void {
    for (let come = 0; come < count; come++) {
      this.#there.arrive({ locality, staysMs: Number.POSITIVE_INFINITY });
      this.#there.pass(VISITOR_MS);
    }
  }

  #shares(): string[] {
    return this.#there.nodes.flatMap(({ identity, peer, isRunning }) => {
      const gauge = peer?.rooms.get(ROOM)?.gauge(peer.roomMs);
      if (peer === undefined || gauge === undefined || !isRunning) return `${identity}  does not run`;
      const idle = peer.idleHere.map(({ accounts, ceilings }) => this.#idle(accounts, ceilings));
      const acts = gauge.mayAct ? "" : ", may not act";
      return `${identity}  view ${peer.members.view?.number ?? "none"}, ${gauge.inside} inside, ${gauge.active} free${acts}${idle.join("")}`;
    });
  }

  #idle(accounts: readonly AccountId[], ceilings: Ceilings | undefined): string {
    const [, held] = ceilings?.find(([room]) => room === ROOM) ?? [];
    return `; of ${accounts.join(" ")}'s share ${held === undefined ? "all" : `at most ${held} slots`} may be held by visitors`;
  }

  #write(text: string): void {
    this.#happened.push(`${(this.#there.elapsedMs / 1_000).toFixed(1).padStart(7)} s  ${text}`);
  }

  #node(name: string | undefined): SimNode {
    const node = this.#there.nodes.find(({ identity }) => identity === name);
    if (node === undefined) throw new Error(`Cannot run a trace as its nodes must exist: current value is ${name}`);
    return node;
  }

  get #there(): World {
    if (this.#world === undefined) throw new Error("Cannot run a trace as it must begin with `mesh`");
    return this.#world;
  }

  get #tapped(): Wiretap {
    if (this.#tap === undefined) throw new Error("Cannot run a trace as it must begin with `mesh`");
    return this.#tap;
  }
}
