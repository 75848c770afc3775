/** Paths as an attacker writes them, at real origins: none leads past a room. What is not installed here is left out, and said so. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONTESTED, RouteTable } from "../../node/gate/match.ts";
import { hostilePaths, KNOWN_BYPASSES } from "../node/gate/hostile-paths.ts";
import { endAll, temporaryDirectory } from "./process.ts";

/** Paths per origin; ANTEROOM_PATHS for more. */
const PATHS = Number(process.env.ANTEROOM_PATHS ?? 600);
const AT_ONCE = 16;
const TEST_MS = 600_000;
const STARTED_MS = 15_000;

/** What each page says, by the room it is in. */
const PAGES = { shop: "ROOM-shop", vip: "ROOM-vip", other: "NO-ROOM" } as const;

const routes = [
  { host: "*", path: "/shop", value: "shop" },
  { host: "*", path: "/shop/vip", value: "vip" },
] as const;
const table = new RouteTable<"shop" | "vip">(routes);

interface Server {
  readonly port: number;
  stop(): void;
}

/** An origin that serves the pages, by what must be installed for it. */
interface Kind {
  readonly name: string;
  readonly program?: string;
  start(root: string): Promise<Server>;
}

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  endAll();
});

const KINDS: readonly Kind[] = [
  { name: "nginx", program: "nginx", start: (root) => nginx(root, "merge_slashes on;") },
  { name: "nginx that keeps slashes", program: "nginx", start: (root) => nginx(root, "merge_slashes off;") },
  {
    name: "PHP's own server",
    program: "php",
    start: (root) => child("php", (port) => ["-n", "-S", `127.0.0.1:${port}`, "-t", root]),
  },
  {
    name: "python's http.server",
    program: "python3",
    start: (root) =>
      child("python3", (port) => ["-m", "http.server", String(port), "--bind", "127.0.0.1", "--directory", root]),
  },
  {
    name: "Caddy",
    program: "caddy",
    start: (root) => child("caddy", (port) => ["file-server", "--root", root, "--listen", `127.0.0.1:${port}`]),
  },
  { name: "lighttpd", program: "lighttpd", start: lighttpd },
  { name: "Bun with hono", start: async () => hono() },
  { name: "new URL", start: async () => byUrl((url) => url.pathname) },
  { name: "new URL, decoded", start: async () => byUrl((url) => decodeURIComponent(url.pathname)) },
];

describe.each(KINDS.map((kind) => [kind.name, kind] as const))("%s", (_, kind) => {
  const isHere = kind.program === undefined || spawnSync("which", [kind.program]).status === 0;
  const root = join(temporaryDirectory(), "site");
  let server: Server | undefined;

  beforeAll(async () => {
    if (!isHere) return;
    for (const [folder, page] of [
      ["", PAGES.other],
      ["x", PAGES.other],
      ["b", PAGES.other],
      ["static", PAGES.other],
      ["shop", PAGES.shop],
      ["shop/x", PAGES.shop],
      ["shop/vip", PAGES.vip],
      ["shop/vip/x", PAGES.vip],
    ] as const) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, "index.html"), page);
      writeFileSync(join(root, folder, "x.txt"), page);
    }
    server = await kind.start(root);
  }, 2 * STARTED_MS);
  afterAll(() => server?.stop());

  test.runIf(isHere)(
    `shows no page past its room${isHere ? "" : ` (${kind.program} is not installed)`}`,
    async () => {
      const { port } = server as Server;
      const paths = new Set([...KNOWN_BYPASSES, ...fc.sample(hostilePaths, PATHS)]);
      const queue = [...paths]
        .map((path) => path.replace(/[?#\s].*/s, ""))
        .flatMap((path) => [path, `${path}/`, `${path}/x.txt`]);
      expect(await pageAt(port, "/shop/vip/")).toBe("vip");
      const bypasses: string[] = [];
      let reached = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
            const found = table.find("h", path);
            if (found === CONTESTED) continue;
            const page = await pageAt(port, path);
            if (page !== undefined) reached += 1;
            if (page !== undefined && page !== found) bypasses.push(`${path}: ${page} by way of ${found ?? "no room"}`);
          }
        }),
      );
      expect(bypasses).toEqual([]);
      expect(reached).toBeGreaterThan(0);
    },
    TEST_MS,
  );
});

/** The room whose page the origin shows at `path`; undefined for none. */
function pageAt(port: number, path: string): Promise<"shop" | "vip" | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, "latin1"),
    );
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => {
      const isPage = text.startsWith("HTTP/1.1 200") || text.startsWith("HTTP/1.0 200");
      resolve(isPage && text.includes(PAGES.vip) ? "vip" : isPage && text.includes(PAGES.shop) ? "shop" : undefined);
    });
  });
}

async function child(program: string, args: (port: number) => readonly string[]): Promise<Server> {
  const port = await freePort();
  const started = spawn(program, args(port), { stdio: "ignore" });
  children.push(started);
  const deadline = performance.now() + STARTED_MS;
  while (!(await isListening(port))) {
    if (performance.now() > deadline) throw new Error(`${program} does not listen on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, stop: () => void started.kill("SIGKILL") };
}

function nginx(root: string, option: string): Promise<Server> {
  const folder = temporaryDirectory();
  return child("nginx", (port) => {
    const config = join(folder, "nginx.conf");
    const paths = "client_body proxy fastcgi uwsgi scgi"
      .split(" ")
      .map((name) => `${name}_temp_path ${folder}/${name};`);
    writeFileSync(
      config,
      `daemon off; master_process off; pid ${folder}/pid; error_log /dev/null; events {} http { access_log off; ${paths.join(" ")}
       server { listen 127.0.0.1:${port}; ${option} root ${root}; location / { index index.html; } } }`,
    );
    return ["-c", config, "-p", folder];
  });
}

function lighttpd(root: string): Promise<Server> {
  const folder = temporaryDirectory();
  return child("lighttpd", (port) => {
    const config = join(folder, "lighttpd.conf");
    writeFileSync(
      config,
      `server.document-root = "${root}"\nserver.port = ${port}\nserver.bind = "127.0.0.1"\nindex-file.names = ("index.html")\n`,
    );
    return ["-D", "-f", config];
  });
}

function hono(): Server {
  const app = new Hono();
  app.get("/shop/vip/*", (context) => context.text(PAGES.vip));
  app.get("/shop/*", (context) => context.text(PAGES.shop));
  app.get("*", (context) => context.text(PAGES.other));
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
  return { port: server.port ?? 0, stop: () => void server.stop(true) };
}

/** An origin that takes the raw target apart as a URL, and looks its page up by what comes of it. */
function byUrl(pathOf: (url: URL) => string): Server {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, data) {
        const target = data.toString("latin1").split(" ")[1] ?? "/";
        let page: string = PAGES.other;
        try {
          const path = pathOf(new URL(target, "http://h"));
          if (/^\/shop\/vip(\/|$)/.test(path)) page = PAGES.vip;
          else if (/^\/shop(\/|$)/.test(path)) page = PAGES.shop;
        } catch {
          // No URL: no page.
        }
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${page.length}\r\n\r\n${page}`);
      },
    },
  });
  return { port: server.port, stop: () => server.stop(true) };
}

async function freePort(): Promise<number> {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const { port } = server;
  server.stop(true);
  return port;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
