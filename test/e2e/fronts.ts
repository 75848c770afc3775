/**
 * Real proxies in front of a node, each with the configuration that `anteroom snippet` prints; and an origin that notes
 * each head.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { beforeAll, test } from "vitest";
import { PROBE_AGENT } from "../../node/rooms/origin-probe.ts";
import { endLater, freePort, type NodeChoice, pause, TestNode, temporaryDirectory, WAIT_MAX_MS } from "./process.ts";

export type FrontKind = "haproxy" | "nginx" | "caddy";

/** What is missing for a proxy; undefined if it can run here. */
export function missingFor(kind: FrontKind): string | undefined {
  return spawnSync("which", [kind], { env: PATHS }).status === 0 ? undefined : kind;
}

/** What the tests at one proxy stand on. */
export interface Scene {
  readonly origin: HeadOrigin;
  readonly node: TestNode;
  readonly front: Front;
}

export interface SceneParts extends Required<Pick<NodeChoice, "rooms" | "minuteMs">> {
  /** Fields that go with each of the origin's answers. */
  readonly fields: readonly string[];
  /** Of `anteroom snippet`. */
  readonly flags?: readonly string[];
}

/**
 * An origin, a node and a proxy in front of it, for all tests of a `describe`; `begun` gets them. Where the proxy is
 * not installed, the tests are skipped, and their names say what is missing.
 */
export function atFront(kind: FrontKind, parts: SceneParts, begun: (scene: Scene) => void) {
  const { fields, flags, rooms, minuteMs } = parts;
  const missing = missingFor(kind);
  beforeAll(async () => {
    if (missing !== undefined) return;
    const origin = await HeadOrigin.start(fields);
    const trust = ["--trusted-proxies", "127.0.0.1"];
    const node = await TestNode.start({ origin: origin.url, rooms, minuteMs, flags: trust });
    begun({ origin, node, front: await Front.start(kind, { node, ...(flags && { flags }) }) });
  });
  return {
    here: test.runIf(missing === undefined),
    named: (name: string): string => (missing === undefined ? name : `${name} (${missing} is not installed)`),
  };
}

const PATHS = { PATH: `${process.env.PATH ?? ""}:/usr/sbin` };

export class Front {
  readonly port: number;
  readonly #folder: string;
  readonly #kind: FrontKind;
  readonly #node: TestNode;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(kind: FrontKind, port: number, parts: FrontParts) {
    this.port = port;
    this.#kind = kind;
    this.#folder = temporaryDirectory();
    this.#node = parts.node;
    this.#flags = parts.flags ?? [];
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  static async start(kind: FrontKind, parts: FrontParts): Promise<Front> {
    const front = new Front(kind, freePort(), parts);
    endLater(() => front.stop());
    await front.renew();
    return front;
  }

  /** Prints the snippet again, and starts the proxy with it. */
  async renew(): Promise<void> {
    await this.stop();
    const [program = "", ...rest] = await this.#configure();
    const env = { ...PATHS, XDG_DATA_HOME: this.#folder, XDG_CONFIG_HOME: this.#folder };
    this.#child = spawn(program, rest, { env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    this.#child.stderr?.on("data", (data) => {
      said += String(data);
    });
    const endMs = performance.now() + WAIT_MAX_MS;
    while (!(await isListening(this.port))) {
      if (this.#child.exitCode !== null || performance.now() > endMs)
        throw new Error(`${this.#kind} is not up: ${said}`);
      await pause(30);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    await new Promise((ended) => {
      child.on("close", ended);
      child.kill("SIGKILL");
    });
    this.#child = undefined;
  }

  async #snippet(...more: string[]): Promise<string> {
    const flags = ["--bind", `127.0.0.1:${this.port}`, ...this.#flags, ...more];
    const { code, stdout, stderr } = await this.#node.run(["snippet", this.#kind, ...flags]);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  /** Writes the files; returns the command that runs them. */
  async #configure(): Promise<readonly string[]> {
    const path = (name: string): string => join(this.#folder, name);
    const text = await this.#snippet();
    if (this.#kind === "haproxy") {
      writeFileSync(path("haproxy.cfg"), text);
      return ["haproxy", "-db", "-f", path("haproxy.cfg")];
    }
    if (this.#kind === "caddy") {
      writeFileSync(path("Caddyfile"), `{\n\tadmin off\n}\n${text}`);
      return ["caddy", "run", "--config", path("Caddyfile"), "--adapter", "caddyfile"];
    }
    writeFileSync(path("anteroom.conf"), text);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    writeFileSync(
      path("nginx.conf"),
      `daemon off; master_process off; pid ${path("pid")}; error_log ${path("error.log")};
       events {} http { access_log off;
       ${temporary.map((name) => `${name}_temp_path ${path(name)};`).join(" ")}
       include ${path("anteroom.conf")}; }`,
    );
    return ["nginx", "-c", path("nginx.conf"), "-p", this.#folder];
  }
}

interface FrontParts {
  readonly node: TestNode;
  /** Of `anteroom snippet`. */
  readonly flags?: readonly string[];
}

/** A request as the origin got it. */
export interface Head {
  readonly method: string;
  readonly target: string;
  /** Names in lower case, in order; twins stay. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Whether no gate has touched it. */
  readonly isByLane: boolean;
}

/** An origin that reads heads as they come, and refuses none. */
export class HeadOrigin {
  readonly url: string;
  readonly heads: Head[] = [];

  private constructor(port: number) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /** `fields` go with each answer. */
  static async start(fields: readonly string[] = []): Promise<HeadOrigin> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    endLater(() => server.close());
    const origin = new HeadOrigin((server.address() as { port: number }).port);
    server.on("connection", (socket) => origin.#hear(socket, fields));
    return origin;
  }

  #hear(socket: Socket, fields: readonly string[]): void {
    let text = "";
    let isAnswered = false;
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => {
      text += data.toString("latin1");
      // What comes after the head is its body: the connection ends with the answer.
      if (isAnswered || !text.includes("\r\n\r\n")) return;
      isAnswered = true;
      const head = headOf(text);
      // A node asks its origins once when it starts.
      const isProbe = head.fields.some(([name, value]) => name === "user-agent" && value === PROBE_AGENT);
      if (!isProbe) this.heads.push(head);
      const body = JSON.stringify({ byLane: head.isByLane, target: head.target });
      const lines = ["HTTP/1.1 200 OK", `Content-Length: ${body.length}`, "Connection: close", ...fields, "", body];
      socket.end(lines.join("\r\n"));
    });
  }

  /** The heads of the requests that carry the field `X-Case` with this value. */
  casesOf(name: string): readonly Head[] {
    return this.heads.filter(({ fields }) => fields.some(([field, value]) => field === "x-case" && value === name));
  }
}

function headOf(text: string): Head {
  const [line = "", ...rest] = text.slice(0, text.indexOf("\r\n\r\n")).split("\r\n");
  const [method = "", target = ""] = line.split(" ");
  const fields = rest.map((each) => {
    const colon = each.indexOf(":");
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()] as const;
  });
  return { method, target, fields, isByLane: !fields.some(([name]) => name === "cdn-loop") };
}

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** Does something again that the clock has spoilt, such as by a minute that ended meanwhile. */
export async function unspoilt<Result>(
  act: () => Promise<Result>,
  isSpoilt: (fromMs: number, toMs: number) => boolean,
): Promise<Result> {
  for (;;) {
    const fromMs = Date.now();
    const result = await act();
    if (!isSpoilt(fromMs, Date.now())) return result;
  }
}
