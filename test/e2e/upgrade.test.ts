/**
 * Five nodes as real processes, upgraded one at a time to a release of the next wire version, while visitors browse,
 * wait, come and go.
 *
 * No session is lost, no visitor in line loses the place, and the limit is never exceeded: before, between and after.
 */

import { join } from "node:path";
import { expect, test } from "vitest";
import { Anteroom, endLater, Origin, pause, serveArguments, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const NEXT = "test/e2e/next-release.ts";
const NODES = 5;
const LIMIT = 15;
const WAITING = 8;
const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: LIMIT,
  new_users_per_minute: 600,
  session_duration: 30,
  json_response_enabled: true,
  refresh_interval_seconds: 1,
  cookie_attributes: { secure: "never" },
  enabled_origin_commands: ["revoke"],
};
/** A stay is longer than any node is away, and is extended each minute. */
const MINUTE_MS = 8_000;
/** Nobody is removed for a restart. */
const TIMES = ["--lease", "5m"];
/** A visitor asks again after so long. */
const PAUSE_MS = 400;
/**
 * How often a visitor may be sent back to wait after a later one was let in: at another gate, until the news of its own
 * call is there.
 */
const OVERTAKEN_ANSWERS_MAX = 8;

/** Visitors behind a load balancer that sends each request to some gate that is up. */
class Crowd {
  readonly gates = new Map<number, string>();
  readonly inside = new Set<string>();
  /** Those who came when all slots were taken, in the order in which they joined the line. */
  readonly line: string[] = [];
  readonly #called = new Set<string>();
  /** By visitor: how often the answer was to wait, after a later one was let in. */
  readonly #overtaken = new Map<string, number>();
  /** By visitor: answers so far. */
  readonly answers = new Map<string, number>();
  /** What must not happen, in words, each once. */
  readonly broken = new Set<string>();
  /** By visitor: whenever the answer was another one than before, which gate gave it and how many ms after the start. */
  readonly #told = new Map<string, string[]>();
  readonly #startedMs = performance.now();
  /** Answers that are neither a place in line nor the origin's: of gates that end, or have only just begun. */
  readonly strange: string[] = [];
  left = 0;
  #isOver = false;
  readonly #visits: Promise<void>[] = [];
  #turn = 0;

  constructor() {
    endLater(() => this.end());
  }

  come(name: string): void {
    this.#visits.push(this.#visit(name));
  }

  /** Somebody inside ends the session by the origin. */
  leave(name: string): void {
    this.#leaving.add(name);
  }
  readonly #leaving = new Set<string>();

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#visits);
  }

  async #visit(name: string): Promise<void> {
    let visitor = new Visitor("", name);
    for (; !this.#isOver; await pause(PAUSE_MS)) {
      const gates = [...this.gates.values()];
      const gate = gates[this.#turn++ % gates.length] ?? "";
      visitor = visitor.at(gate);
      const leaves = this.#leaving.has(name) && this.inside.has(name);
      const isOvertaken = this.line.slice(this.line.indexOf(name) + 1).some((later) => this.#called.has(later));
      // From the request on the slot may be another visitor's.
      if (leaves) this.inside.delete(name);
      const seen = await visitor.get(leaves ? "/leave" : "/").catch(() => undefined);
      // A gate that ends closes its connections: the load balancer sends the visitor to another one.
      this.#note(name, gate, seen?.position ?? seen?.text.slice(0, 200) ?? "no answer");
      const isServed = seen !== undefined && (seen.text === "let in" || leaves || seen.position !== undefined);
      if (!isServed || seen.status >= 500) {
        if (seen !== undefined) this.strange.push(`${name}: ${seen.status} ${seen.text.slice(0, 200)}`);
        if (leaves) this.inside.add(name);
        continue;
      }
      this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
      if (leaves) {
        this.#hasLeft.add(name);
        this.left += 1;
        return;
      }
      if (seen.position === undefined) {
        this.inside.add(name);
        if (this.line.includes(name)) this.#called.add(name);
        if (this.inside.size > LIMIT) this.broken.add(`${name} is the ${this.inside.size}th inside`);
        continue;
      }
      if (this.inside.has(name)) this.broken.add(`${name} was thrown out`);
      const isInLine = this.line.includes(name);
      // Position 0 is no place yet: this gate could not have one given.
      if (!isInLine && name.startsWith("second") && seen.position > 0) this.line.push(name);
      if (isInLine && isOvertaken) this.#waitsOn(name);
    }
  }

  #waitsOn(name: string): void {
    const times = (this.#overtaken.get(name) ?? 0) + 1;
    this.#overtaken.set(name, times);
    if (times > OVERTAKEN_ANSWERS_MAX) this.broken.add(`${name} was overtaken`);
  }

  #note(name: string, gate: string, answer: number | string): void {
    const told = this.#told.getOrInsertComputed(name, () => []);
    const what = `${answer}`;
    if (told.at(-1)?.endsWith(` ${what}`) !== true)
      told.push(`${Math.round(performance.now() - this.#startedMs)} ms, ${gate}: ${what}`);
  }

  /** What those in line were told, for who reads a failure. */
  get story(): string {
    return this.line.map((name) => [name, ...(this.#told.get(name) ?? [])].join("\n  ")).join("\n");
  }

  /** Waits until all have had an answer after this moment. */
  async round(): Promise<void> {
    const before = new Map(this.answers);
    const names = [...this.inside, ...this.line];
    await until(() => names.every((name) => this.#hasLeft.has(name) || this.answers.get(name) !== before.get(name)));
  }
  readonly #hasLeft = new Set<string>();

  get called(): number {
    return this.#called.size;
  }
}

/** Waits until all are members of one view, and all answer. */
async function agree(nodes: readonly TestNode[]): Promise<void> {
  await until(async () => {
    const told = await Promise.all(nodes.map((node) => node.status()));
    return told.every(
      ({ view, members, rooms, lease }) =>
        view?.members === nodes.length &&
        lease === "held" &&
        rooms.length === 1 &&
        members.every(({ state }) => state === "alive"),
    );
  });
}

async function meshAddress(node: TestNode): Promise<string> {
  return String((await node.process.logged("anteroom is up")).mesh_address);
}

test("a mesh of five is upgraded node by node under load, one of them back and forth, and loses nothing", async () => {
  const origin = await Origin.start((request, response) => {
    if (request.url === "/leave") response.setHeader("Anteroom-Command", "revoke");
    response.end("let in");
  });
  const common = { origin: origin.url, minuteMs: MINUTE_MS };
  const founder = await TestNode.start({ ...common, rooms: [ROOM], flags: ["--locality", "sjc", ...TIMES] });
  const key = join(founder.data, "mesh.key");
  const joins = async (by: TestNode) => ["--join", await meshAddress(by), "--mesh-key", key];
  const nodes = [founder];
  while (nodes.length < NODES)
    nodes.push(await TestNode.start({ ...common, flags: ["--locality", "sjc", ...(await joins(founder)), ...TIMES] }));
  await agree(nodes);

  const crowd = new Crowd();
  for (const [index, { gate }] of nodes.entries()) crowd.gates.set(index, gate);
  for (let index = 0; index < LIMIT; index++) crowd.come(`first ${index}`);
  await until(() => crowd.inside.size === LIMIT);
  for (let index = 0; index < WAITING; index++) {
    crowd.come(`second ${index}`);
    await until(() => crowd.line.length === index + 1);
  }

  /** Ends a node, and starts it on its disk again. */
  const restart = async (index: number, preload?: string) => {
    const { process, data } = nodes[index] ?? founder;
    const [by = founder] = nodes.filter((_, other) => other !== index);
    crowd.gates.delete(index);
    const flags = ["--locality", "sjc", ...(await joins(by)), ...TIMES];
    expect((await process.end("SIGTERM")).code).toBe(0);
    const again = await TestNode.start({ ...common, data, flags, preload });
    nodes[index] = again;
    await agree(nodes);
    await crowd.round();
    crowd.gates.set(index, again.gate);
    crowd.leave(`first ${index}`);
    return again;
  };
  const speaks = async () => (await Promise.all(nodes.map((node) => node.status()))).map(({ wire }) => wire?.speaks);

  await restart(0, NEXT);
  await restart(1, NEXT);
  const old = await restart(1);
  await old.process.logged("entries of a newer release");
  const told = await old.status();
  expect([told.gossip?.dropped.unknown, told.gossip?.peers_punished]).toEqual([expect.any(Number), 0]);
  for (const index of [1, 2, 3]) await restart(index, NEXT);
  expect(await speaks()).toEqual(Array(NODES).fill(1));
  const before = (await founderOf(nodes).status()).view?.number ?? 0;
  await restart(4, NEXT);
  await until(async () => (await speaks()).every((wire) => wire === 2));
  expect((await founderOf(nodes).status()).view?.number).toBe(before + 1);

  // The line moved while all that happened, and moves on.
  await until(() => crowd.left === NODES && crowd.inside.size === LIMIT);
  await crowd.round();
  await crowd.end();
  expect([...crowd.broken], crowd.story).toEqual([]);
  expect([crowd.called, crowd.left]).toEqual([NODES, NODES]);
  for (const node of nodes) expect((await node.status()).gossip?.peers_punished).toBe(0);

  // There is no way back now: a start with the old release says why, and leaves the disk alone.
  const { process, data } = nodes[4] ?? founder;
  await process.end("SIGTERM");
  const flags = ["--locality", "sjc", ...TIMES];
  const refused = await new Anteroom(serveArguments({ ...common, flags }, data, "")).finished;
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("wire version 2")]);
  await restartedAs(await TestNode.start({ ...common, data, flags, preload: NEXT }), 2);
});

function founderOf([founder]: readonly TestNode[]): TestNode {
  if (founder === undefined) throw new Error("There is a founder");
  return founder;
}

async function restartedAs(node: TestNode, wire: number): Promise<void> {
  expect((await node.status()).wire?.speaks).toBe(wire);
}
