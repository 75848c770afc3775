/**
 * Answers that are invalid but common: where the gate reads them, the real nginx and HAProxy read the same. Each test
 * runs where both are installed, and says by its name what is missing.
 */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Peer } from "./peer.ts";
import { bodyOf, eventually, proxy, target } from "./wire.ts";

const PATHS = { PATH: `${process.env.PATH ?? ""}:/usr/sbin` };
const MISSING = ["nginx", "haproxy"].filter((name) => spawnSync("which", [name], { env: PATHS }).status !== 0);
const here = test.runIf(MISSING.length === 0);
const named = (name: string): string =>
  MISSING.length === 0 ? name : `${name} (${MISSING.join(" and ")} missing: skipped)`;

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

const READ: readonly (readonly [string, string])[] = [
  ["a plain one", `${OK}Content-Length: 2\r\n\r\nok`],
  ["no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"],
  ["lines that all end in LF alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"],
  ["the same length twice", `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`],
  ["a length as a list", `${OK}Content-Length: 2, 2\r\n\r\nok`],
  ["a blank after the length", `${OK}Content-Length: 2 \r\n\r\nok`],
  ["chunks beside a length", `${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`],
  ["blanks after the sizes of chunks", `${CHUNKED}2  \r\nok\r\n0  \r\n\r\n`],
  ["a blank before an extension", `${CHUNKED}2 ;a=b\r\nok\r\n0\r\n\r\n`],
  ["chunks with LFs alone", `${CHUNKED}2\nok\n0\n\n`],
  ["zeros before a size", `${CHUNKED}0000000000000002\r\nok\r\n0\r\n\r\n`],
  ["text beyond ASCII", `${OK}X: \xc3\xbc\r\nContent-Length: 2\r\n\r\nok`],
  ["a status that nobody knows", "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok"],
  ["204 in chunks", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
];

describe("an odd answer", () => {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-odd-"));
  const children: ChildProcess[] = [];
  let answer = "";
  let port = 0;
  let stop = (): void => undefined;

  afterAll(() => {
    stop();
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  /** An origin and the two proxies, for all tests. */
  beforeAll(async () => {
    if (MISSING.length > 0) return;
    const server = answering(() => answer);
    port = server.port;
    stop = () => server.stop(true);
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    write("nginx.conf", [
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}`,
      `http { access_log off; ${temporary.join(" ")}`,
      `server { listen unix:${folder}/nginx; location / { proxy_http_version 1.1; proxy_pass http://127.0.0.1:${port}; } } }`,
    ]);
    write("haproxy.cfg", [
      "defaults\n mode http\n timeout connect 60s\n timeout client 60s\n timeout server 60s",
      `frontend f\n bind unix@${folder}/haproxy\n default_backend b`,
      `backend b\n server o 127.0.0.1:${port}`,
    ]);
    for (const [name, ...args] of [
      ["nginx", "-p", folder, "-c", `${folder}/nginx.conf`],
      ["haproxy", "-db", "-f", `${folder}/haproxy.cfg`],
    ] as const) {
      children.push(spawn(name, args, { env: PATHS, stdio: "ignore" }));
      await eventually(() => spawnSync("test", ["-S", `${folder}/${name}`]).status === 0, name);
    }
  });

  const write = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);

  /** Status and body by each of the two proxies and by the gate. */
  async function readings(bytes: string): Promise<Record<string, string>> {
    answer = bytes;
    const gate = proxy(target(`http://127.0.0.1:${port}`));
    return {
      nginx: await read({ unix: `${folder}/nginx` }),
      haproxy: await read({ unix: `${folder}/haproxy` }),
      gate: await read({ hostname: "127.0.0.1", port: gate.port }),
    };
  }

  here.each(READ)(named("is read as nginx and HAProxy read it: %s"), async (_, bytes) => {
    const { nginx, haproxy, gate } = await readings(bytes);
    expect([nginx, gate]).toEqual([haproxy, haproxy]);
    expect(gate).toMatch(/^(?:200 ok|999 ok|204 )$/);
  });
});

/** An origin that gives `answer` to each request, and closes. */
function answering(answer: () => string) {
  return Bun.listen<Peer>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      ...Peer.handlers,
      open(socket) {
        socket.data = new Peer();
        socket.data.attach(socket);
      },
      data(socket, bytes) {
        Peer.handlers.data?.(socket, bytes);
        if (!socket.data.text.endsWith("\r\n\r\n")) return;
        socket.data.send(answer());
        socket.data.end();
      },
    },
  });
}

async function read(place: { unix: string } | { hostname: string; port: number }): Promise<string> {
  const peer = new Peer();
  const shared = { data: peer, allowHalfOpen: true, socket: Peer.handlers };
  const socket = await ("unix" in place
    ? Bun.connect<Peer>({ ...shared, ...place })
    : Bun.connect<Peer>({ ...shared, ...place }));
  peer.attach(socket);
  peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const text = await peer.done();
  socket.terminate();
  const isChunked = /^transfer-encoding: chunked\r$/im.test(text.slice(0, text.indexOf("\r\n\r\n")));
  const body = isChunked ? bodyOf(text).replace(/^2\r\nok\r\n0\r\n\r\n$/, "ok") : bodyOf(text);
  return `${/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]} ${body}`;
}
