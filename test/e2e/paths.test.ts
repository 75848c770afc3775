/**
 * Paths as an attacker writes them, at real origins: none leads past a room. What is not installed here is left out,
 * and said so.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONTESTED, RouteTable } from "../../node/rooms/match.ts";
import { hostilePaths, KNOWN_BYPASSES } from "../node/gate/hostile-paths.ts";
import { endLater, freePort, temporaryDirectory, until } from "./process.ts";

/** Paths per origin; ANTEROOM_PATHS for more. */
const PATHS = Number(process.env.ANTEROOM_PATHS ?? 600);
const AT_ONCE = 16;

/** Of one program: so many ports are not taken in a row. */
const STARTS_MAX = 5;

/** What each page says, by the place it is at. */
const PAGES = { "/shop/vip": "PAGE-vip", "/shop": "PAGE-shop", "/x": "PAGE-other" } as const;
type Place = keyof typeof PAGES;

/** Rooms that are looked at, each by its path. */
const ROOMS: readonly (readonly string[])[] = [["/shop"], ["/shop/vip"], ["/shop", "/shop/vip"], ["/", "/shop"]];
const TABLES = ROOMS.map((paths) => ({
  paths: [...paths].sort((one, other) => other.length - one.length),
  table: new RouteTable(paths.map((path) => ({ host: "*", path, value: path }))),
}));

/** The room of what is at `place`. */
function roomOf(paths: readonly string[], place: Place): string | undefined {
  return paths.find((path) => path === "/" || place === path || place.startsWith(`${path}/`));
}

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
  const { program } = kind;
  const isHere = program === undefined || spawnSync("which", [program]).status === 0;
  const root = join(temporaryDirectory(), "site");
  let server: Server | undefined;

  beforeAll(async () => {
    if (!isHere) return;
    for (const [folder, page] of [
      ["", PAGES["/x"]],
      ["x", PAGES["/x"]],
      ["b", PAGES["/x"]],
      ["static", PAGES["/x"]],
      ["shop", PAGES["/shop"]],
      ["shop/x", PAGES["/shop"]],
      ["shop/vip", PAGES["/shop/vip"]],
      ["shop/vip/x", PAGES["/shop/vip"]],
    ] as const) {
      mkdirSync(join(root, folder), { recursive: true });
      writeFileSync(join(root, folder, "index.html"), page);
      writeFileSync(join(root, folder, "x.txt"), page);
    }
    server = await kind.start(root);
  });
  afterAll(() => server?.stop());

  test.runIf(isHere)(`shows no page past its room${isHere ? "" : ` (${program} is not installed)`}`, async () => {
    const { port } = server as Server;
    const paths = new Set([...KNOWN_BYPASSES, ...fc.sample(hostilePaths, PATHS)]);
    const queue = [...paths]
      .map((path) => path.replace(/[?#\s].*/s, ""))
      .flatMap((path) => [path, `${path}/`, `${path}/x.txt`]);
    expect(await pageAt(port, "/shop/vip/")).toBe("/shop/vip");
    const bypasses: string[] = [];
    let reached = 0;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
          const found = TABLES.map(({ table }) => table.find("h", path));
          if (found.every((room) => room === CONTESTED)) continue;
          const place = await pageAt(port, path);
          if (place === undefined) continue;
          reached += 1;
          for (const [at, { paths: rooms }] of TABLES.entries()) {
            const room = roomOf(rooms, place);
            if (room === undefined || found[at] === CONTESTED || found[at] === room) continue;
            bypasses.push(`${path}: ${place} by way of ${String(found[at])} with rooms on ${rooms.join(" and ")}`);
          }
        }
      }),
    );
    expect(bypasses).toEqual([]);
    expect(await pageAt(port, "/shop/vip/")).toBe("/shop/vip");
    expect(reached).toBeGreaterThan(0);
  });
});

/** The place whose page the origin shows at `path`; undefined for none. */
function pageAt(port: number, path: string): Promise<Place | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, "latin1"),
    );
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    // An origin that is gone would show no page, and hold for ever.
    socket.on("error", (error) => (text === "" ? reject(error) : resolve(undefined)));
    socket.on("close", () => {
      const isPage = text.startsWith("HTTP/1.1 200") || text.startsWith("HTTP/1.0 200");
      const places = Object.keys(PAGES) as Place[];
      resolve(isPage ? places.find((place) => text.includes(PAGES[place])) : undefined);
    });
  });
}

/** Starts `program` on a free port. Another process may take that port first: then it ends, and another one is tried. */
async function child(program: string, args: (port: number) => readonly string[]): Promise<Server> {
  for (let attempt = 0; attempt < STARTS_MAX; attempt++) {
    const port = freePort();
    const started = spawn(program, args(port), { stdio: "ignore" });
    endLater(() => started.kill("SIGKILL"));
    let isOver = false;
    started.once("exit", () => {
      isOver = true;
    });
    await until(async () => isOver || (await pageAt(port, "/shop/vip/").catch(() => undefined)) === "/shop/vip");
    if (!isOver) return { port, stop: () => void started.kill("SIGKILL") };
  }
  throw new Error(`${program} has ended at each of ${STARTS_MAX} starts`);
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
  app.get("/shop/vip/*", (context) => context.text(PAGES["/shop/vip"]));
  app.get("/shop/*", (context) => context.text(PAGES["/shop"]));
  app.get("*", (context) => context.text(PAGES["/x"]));
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
        let page: string = PAGES["/x"];
        try {
          const path = pathOf(new URL(target, "http://h"));
          if (/^\/shop\/vip(\/|$)/.test(path)) page = PAGES["/shop/vip"];
          else if (/^\/shop(\/|$)/.test(path)) page = PAGES["/shop"];
        } catch {
          // No URL: no page.
          page = "";
        }
        socket.end(`HTTP/1.1 200 OK\r\nContent-Length: ${page.length}\r\n\r\n${page}`);
      },
    },
  });
  return { port: server.port, stop: () => server.stop(true) };
}
