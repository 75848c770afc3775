/**
 * The programs of docs/origins.md, taken from the page and run behind a real gate: hono, Express, Python.
 *
 * Each verifies `Anteroom-Visitor` and gives commands. They get what is genuine, forged, expired, of another room, and
 * of the next key.
 */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import { endLater, TestNode, temporaryDirectory, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const BUN = join(ROOT, "node_modules/.bin/bun");
const ROOM = {
  ...{ name: "shop", host: "shop.example", total_active_users: 100, new_users_per_minute: 100, session_duration: 5 },
  disable_session_renewal: true,
  visitor_header: true,
  enabled_origin_commands: ["revoke", "extend", "complete"],
};

/** How each program is served; it prints its port. */
const SERVERS = {
  hono: [
    "server.js",
    `import { app } from "./app.js";
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch });
console.log(server.port);`,
  ],
  express: [
    "server.js",
    `import { app } from "./app.js";
const server = app.listen(0, "127.0.0.1", () => console.log(server.address().port));`,
  ],
  python: [
    "server.py",
    `from wsgiref.simple_server import make_server
from app import app
server = make_server("127.0.0.1", 0, app)
print(server.server_port, flush=True)
server.serve_forever()`,
  ],
} as const;

type Program = keyof typeof SERVERS;

/** All code of the page, by the file name in its first line. */
function programs(): ReadonlyMap<string, string> {
  const page = readFileSync(join(ROOT, "docs/origins.md"), "utf8");
  const fences = page.matchAll(/^```(?:js|python)\n(?:\/\/|#) (\S+)\n(.*?)^```$/gms);
  return new Map(Array.from(fences, ([, name = "", code = ""]) => [name, code]));
}

/** Runs a program of the page with these keys; its address. */
async function start(program: Program, keys: string): Promise<string> {
  const folder = temporaryDirectory();
  for (const [name, code] of programs()) {
    if (dirname(name) !== program) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), code);
  }
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const [file, code] = SERVERS[program];
  writeFileSync(join(folder, program, file), code);
  const child = spawn(program === "python" ? "python3" : BUN, [file], {
    cwd: join(folder, program),
    env: { PATH: process.env.PATH ?? "", ANTEROOM_KEYS: keys },
  });
  endLater(() => child.kill("SIGKILL"));
  let errors = "";
  child.stderr.on("data", (data) => {
    errors += String(data);
  });
  const port = await new Promise<string>((found, failed) => {
    child.stdout.once("data", (data) => found(String(data).trim()));
    child.once("close", () => failed(new Error(`${program} ended:\n${errors}`)));
  });
  return `http://127.0.0.1:${port}`;
}

const isPythonThere = spawnSync("python3", ["--version"]).status === 0;

test("the page has a middleware and a program for each", () => {
  const names = [...programs().keys()].sort();
  expect(names).toEqual([
    ...["express/anteroom.js", "express/app.js", "hono/anteroom.js", "hono/app.js"],
    ...["python/app.py", "python/waiting_room.py"],
  ]);
});

describe.each(["hono", "express", "python"] as const)("%s", (program) => {
  // A machine without Python says so by this test's name.
  const isMissing = program === "python" && !isPythonThere;
  test.skipIf(isMissing)(
    isMissing ? "is not run: there is no python3 here" : "verifies who came through, and gives commands",
    async () => {
      // The keys of a room follow from the mesh: the origin gets its own first, and its room the origin's address then.
      const node = await TestNode.start({
        origin: "http://127.0.0.1:9",
        rooms: [ROOM, { ...ROOM, name: "other", host: "o.example" }],
      });
      const shown = await node.run(["key", "shop"]);
      const [key = "", next = ""] = shown.stdout.trim().split(" ");
      const origin = await start(program, `${key} ${next}`);
      const changed = await node.run(["room", "update", "shop", `origin=${origin}`]);
      expect([shown.code, changed.code]).toEqual([0, 0]);
      const visitor = new Visitor(node.gate, "patient");
      const fields = { host: "shop.example", accept: "text/html" };

      // A visitor who comes while the node is busy may get a place first.
      await until(async () => (await visitor.get("/", fields)).text.startsWith("Hello"));
      // Genuine: the same session on each request, whatever the visitor writes in its place.
      const hello = await visitor.get("/", fields);
      const again = await visitor.get("/", { ...fields, "anteroom-visitor": "forged", anteroom_visitor: "forged" });
      expect(hello.text).toMatch(/^Hello, [\w-]{22}$/);
      expect(again.text).toBe(hello.text);

      // Straight to the origin: whom the gate did not send is a stranger.
      const named = async (token: string): Promise<string> => {
        const answer = await fetch(origin, { headers: { "Anteroom-Visitor": token } });
        return [answer.status, await answer.text()].join(" ");
      };
      const signed = (by: string, { room = "shop", seconds = 3_600, alg = "HS256" } = {}): Promise<string> =>
        new SignJWT({ room, lane: 0 })
          .setProtectedHeader({ alg })
          .setIssuer("anteroom")
          .setAudience(room)
          .setSubject("someone")
          .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
          .sign(new TextEncoder().encode(by));
      const otherKey = (await node.run(["key", "other"])).stdout.trim().split(" ")[0] ?? "";
      const good = await signed(key);
      expect(await named(good)).toBe("200 Hello, someone");
      expect(await named(await signed(next))).toBe("200 Hello, someone");
      const bad: Record<string, string> = {
        nothing: "",
        noise: "a.b.c",
        "no text": "\xff.\xff.\xff",
        "one part": "x",
        expired: await signed(key, { seconds: -60 }),
        "of another room": await signed(otherKey),
        "for another room": await signed(key, { room: "other" }),
        "with another algorithm": await signed(key, { alg: "HS512" }),
        unsigned: new UnsecuredJWT({ sub: "someone" }).setIssuer("anteroom").setAudience("shop").encode(),
        "cut off": good.slice(0, -1),
        changed: `${good.slice(0, 40)}x${good.slice(41)}`,
        "a key in the signature's place": `${good.split(".").slice(0, 2).join(".")}.${key}`,
      };
      for (const [what, token] of Object.entries(bad)) {
        const answer = await named(token);
        expect([what, answer]).toEqual([what, "200 Hello, stranger"]);
      }
      expect((await fetch(`${origin}/order`, { method: "POST" })).status).toBe(403);

      // Commands: more time, then the end. Visitors see neither.
      const checkout = await visitor.post("/checkout", fields);
      expect([checkout.text, checkout.headers.get("anteroom-command")]).toEqual(["Take your time.", null]);
      const order = await visitor.post("/order", fields);
      expect([order.status, order.text, order.headers.get("anteroom-command")]).toEqual([200, "Thank you!", null]);
      expect(order.headers.get("set-cookie")).toMatch(/^__anteroom_shop=; .*Max-Age=0/);
      const metrics = await (await fetch(`http://${node.admin}/metrics`)).text();
      for (const [command, reason] of [
        ["complete", "order-placed"],
        ["extend", "checkout"],
      ])
        expect(metrics).toContain(
          `anteroom_origin_commands_total{room="shop",command="${command}",reason="${reason}"} 1`,
        );

      // After a rotation the same origin knows the gates' new key.
      const rotated = await node.run(["key", "shop", "--rotate"]);
      expect(rotated.stdout.trim().split(" ")[0]).toBe(next);
      expect((await new Visitor(node.gate, "patient").get("/", fields)).text).toMatch(/^Hello, [\w-]{22}$/);
    },
  );
});
