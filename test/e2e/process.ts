/**
 * Real processes for the tests that need them: a node in a temporary data directory, commands against it, and an
 * origin.
 *
 * What a test has started is ended with it, also when it fails or runs beside others; what a file has started before
 * its tests is ended with the file (`end-all.ts`). Ports are the system's choice.
 *
 * A process started here sheds no load (`--pressure off`): on a busy machine its timers come late, and it would turn
 * visitors away. `node/pressure-look.test.ts` tests load shedding, with a clock of its own.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inject } from "vitest";
import type { NodeStatus, RoomStatus } from "../../node/operator/status/status.ts";
import { PROBE_AGENT } from "../../node/rooms/origin-probe.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const BUN = join(ROOT, "node_modules/.bin/bun");
const MAIN = join(ROOT, "cmd/main.ts");

/**
 * What hangs must end; what a busy machine slows down must not fail. No wait of a test takes more than some seconds on
 * a quiet machine. Below a test's own limit, so that a failure names what was waited for.
 */
export const WAIT_MAX_MS = 300_000;

const ASK_AGAIN_MS = { least: 20, most: 100 };

type Ending = () => unknown;

/** What is to be ended: of the file, and of each test by itself, as some run side by side. */
const ofFile: Ending[] = [];
const ofTest = new AsyncLocalStorage<Ending[]>();

/** Runs a test so that what it starts is known to be its own. For `aroundEach`. */
export function withOwnEndings(run: () => Promise<void>): Promise<void> {
  return ofTest.run([], run);
}

/** Ends what the test has started, or outside of tests the file: the last first. For `afterEach` and `afterAll`. */
export function endAll(): Promise<void> {
  return end(ofTest.getStore() ?? ofFile);
}

export function endLater(act: Ending): void {
  (ofTest.getStore() ?? ofFile).push(act);
}

async function end(endings: Ending[]): Promise<void> {
  const act = endings.pop();
  if (act === undefined) return;
  try {
    await act();
  } finally {
    await end(endings);
  }
}

/** A directory that is removed in the end. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "anteroom-e2e-"));
  endLater(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface AnteroomParts {
  readonly preload?: string | undefined;
  readonly temporary?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Where both outputs go, in place of `answer` and `log`: an open file. */
  readonly outputs?: number;
}

/** One running process of the binary. */
export class Anteroom {
  readonly #child: ChildProcess;
  readonly finished: Promise<Finished>;
  #stdout = "";
  #stderr = "";
  #isRunning = true;

  /**
   * `preload`: a file that is loaded before all others; the sources are run then, and not the binary. `temporary`: where
   * it makes its temporary directories, the system's place unless given.
   */
  constructor(args: readonly string[], input?: string, parts: AnteroomParts = {}) {
    const { preload, temporary, environment, outputs = "pipe" } = parts;
    const [program, ...first] =
      preload === undefined ? [inject("binary")] : [BUN, "--preload", join(ROOT, preload), MAIN];
    // Nothing else of the tester's environment: no proxy, no ANTEROOM_… may have a say. A variable, and not a flag:
    // workers and the nodes of `chaos` and `demo` are children of the process that is started here.
    const { PATH = "", BUN_JSC_useDFGJIT = "1" } = process.env;
    const own = { PATH, BUN_JSC_useDFGJIT, ANTEROOM_PRESSURE: "off", ...(temporary && { TMPDIR: temporary }) };
    const env = { ...own, ...environment };
    this.#child = spawn(program ?? BUN, [...first, ...args], { cwd: ROOT, env, stdio: ["pipe", outputs, outputs] });
    this.#child.stdout?.setEncoding("utf8").on("data", (text) => {
      this.#stdout += text;
    });
    this.#child.stderr?.setEncoding("utf8").on("data", (text) => {
      this.#stderr += text;
    });
    this.#child.stdin?.end(input);
    this.finished = new Promise((done) => {
      this.#child.on("close", (code) => {
        this.#isRunning = false;
        done({ code, stdout: this.#stdout, stderr: this.#stderr });
      });
    });
    const gone = new Promise((done) => this.#child.once("exit", done));
    endLater(() => {
      this.kill("SIGKILL");
      return gone;
    });
  }

  get answer(): string {
    return this.#stdout;
  }

  get log(): string {
    return this.#stderr;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** All whole lines of the log that have `text`, parsed. */
  linesWith(text: string): Record<string, unknown>[] {
    // The last line may be there in part.
    const lines = this.#stderr.split("\n").slice(0, -1);
    return lines.filter((line) => line.startsWith("{") && line.includes(text)).map((line) => JSON.parse(line));
  }

  kill(signal: NodeJS.Signals): void {
    if (this.#isRunning) this.#child.kill(signal);
  }

  /** Ends the process by `signal`; the outcome once it is gone. Throws if it goes on for some minutes. */
  async end(signal: NodeJS.Signals): Promise<Finished> {
    this.kill(signal);
    await until(() => !this.#isRunning);
    return this.finished;
  }

  /** The first line of the log that has `text`, parsed, once it is there. */
  async logged(text: string, forMs = WAIT_MAX_MS): Promise<Record<string, unknown>> {
    await until(() => this.linesWith(text).length > 0 || !this.#isRunning, forMs);
    const [found] = this.linesWith(text);
    if (found === undefined) throw new Error(`No line of the log has "${text}":\n${this.#stderr}`);
    return found;
  }
}

export interface NodeChoice {
  readonly origin?: string;
  /** Documents of the rooms file; undefined for none. */
  readonly rooms?: readonly object[];
  readonly data?: string;
  /** A real minute by default: no session ends and no place lapses while a test runs, however slow the machine is. */
  readonly minuteMs?: number;
  readonly listen?: string;
  readonly admin?: string;
  readonly flags?: readonly string[];
  /** Loaded before the binary's own files; relative to the root of the project. */
  readonly preload?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

type TestNodeParts = Pick<TestNode, "process" | "data" | "gate" | "admin" | "roomsFile"> & {
  readonly environment: Readonly<Record<string, string>>;
};

/** A node that is up, with its ports and its data directory. */
export class TestNode {
  readonly process: Anteroom;
  readonly data: string;
  readonly gate: string;
  readonly admin: string;
  readonly roomsFile: string;
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(parts: TestNodeParts) {
    this.process = parts.process;
    this.data = parts.data;
    this.gate = parts.gate;
    this.admin = parts.admin;
    this.roomsFile = parts.roomsFile;
    this.#environment = parts.environment;
  }

  static async start(choice: NodeChoice = {}): Promise<TestNode> {
    const data = choice.data ?? join(temporaryDirectory(), "data");
    const roomsFile = join(temporaryDirectory(), "rooms.json");
    if (choice.rooms !== undefined) writeFileSync(roomsFile, JSON.stringify({ rooms: choice.rooms }));
    const process = new Anteroom(serveArguments(choice, data, roomsFile), undefined, choice);
    const { gate, admin } = await process.logged("anteroom is up");
    const { environment = {} } = choice;
    return new TestNode({ process, data, gate: `http://${gate}`, admin: String(admin), roomsFile, environment });
  }

  get gatePort(): number {
    return Number(new URL(this.gate).port);
  }

  /** The flags by which another node joins this one's mesh. */
  async joining(): Promise<string[]> {
    const { mesh_address } = await this.process.logged("anteroom is up");
    return ["--join", String(mesh_address), "--mesh-key", join(this.data, "mesh.key")];
  }

  /** Runs a command against this node, and waits for its end. */
  run(args: readonly string[], input?: string): Promise<Finished> {
    const own = ["--admin", this.admin, "--data", this.data];
    return new Anteroom([...args, ...own], input, { environment: this.#environment }).finished;
  }

  get token(): string {
    return readFileSync(join(this.data, "admin.token"), "utf8").trim();
  }

  async status(): Promise<NodeStatus> {
    const headers = { authorization: `Bearer ${this.token}` };
    return (await (await fetch(`http://${this.admin}/v1/status`, { headers })).json()) as NodeStatus;
  }

  async room(name = "shop"): Promise<RoomStatus> {
    const room = (await this.status()).rooms.find((each) => each.name === name);
    if (room === undefined) throw new Error(`The node has no room ${name}`);
    return room;
  }
}

/** The arguments of `serve` for `choice`. */
export function serveArguments(choice: NodeChoice, data: string, roomsFile: string): string[] {
  const { origin, rooms, minuteMs = 60_000, listen = "127.0.0.1:0", admin = "127.0.0.1:0", flags = [] } = choice;
  return [
    ...["serve", "--listen", listen, "--admin", admin, "--mesh", "127.0.0.1:0"],
    ...["--data", data, "--minute-ms", String(minuteMs)],
    ...(origin === undefined ? [] : ["--origin", origin]),
    ...(rooms === undefined ? [] : ["--rooms", roomsFile]),
    ...flags,
  ];
}

export { freePort } from "../bench/programs.ts";

export type OriginHandler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** An origin in this process that counts what reaches it. */
export class Origin {
  readonly #server: Server;
  readonly url: string;
  /** Method, target and Host of all requests so far. */
  readonly requests: { method: string; target: string; headers: IncomingMessage["headers"] }[] = [];

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(handle: OriginHandler = (_, response) => response.end("hello")): Promise<Origin> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const origin = new Origin(server);
    server.on("request", (request, response) => {
      const { method = "", url: target = "", headers } = request;
      // A node asks its origins once when it starts.
      if (headers["user-agent"] === PROBE_AGENT && method === "HEAD") {
        response.end();
        return;
      }
      origin.requests.push({ method, target, headers });
      handle(request, response);
    });
    endLater(() => origin.stop());
    return origin;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** Waits until `holds`. Throws after some minutes, or after `forMs`. */
export async function until(holds: () => boolean | Promise<boolean>, forMs = WAIT_MAX_MS): Promise<void> {
  const startMs = performance.now();
  while (!(await holds())) {
    const waitedMs = performance.now() - startMs;
    if (waitedMs > forMs) throw new Error(`Waited ${forMs} ms for nothing: ${holds}`);
    // Asking takes CPU time from the process that is waited for: a long wait asks less often.
    await pause(Math.min(Math.max(waitedMs / 20, ASK_AGAIN_MS.least), ASK_AGAIN_MS.most));
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((over) => setTimeout(over, ms));
}
