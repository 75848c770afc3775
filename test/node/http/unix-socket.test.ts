/** Unix sockets instead of ports, on both sides of the gate. */

import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../../node/http/client.ts";
import { claimUnixPath } from "../../../node/process/claim-port.ts";
import { later } from "./peer.ts";
import { bodyOf, gate, proxy, target } from "./wire.ts";

function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "anteroom-unix-"));
  later(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "gate.sock");
}

async function askUnix(unix: string, fields = ""): Promise<string> {
  let text = "";
  const ended = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    unix,
    socket: {
      data: (_, bytes) => {
        text += bytes.toString("latin1");
      },
      close: () => ended.resolve(),
    },
  });
  socket.write(`GET /last HTTP/1.1\r\nHost: shop.example\r\n${fields}Connection: close\r\n\r\n`);
  await ended.promise;
  return text;
}

describe("a unix socket", () => {
  test("takes the gate's clients, whose proxy is trusted, and is removed at the end", async () => {
    const unix = socketPath();
    const { listener } = gate((exchange) => exchange.answer(200, [], JSON.stringify(clientOf(exchange, []))), { unix });
    expect(statSync(unix).mode & 0o777).toBe(0o660);
    const forwarded = "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\n";
    expect(JSON.parse(bodyOf(await askUnix(unix, forwarded)))).toEqual({
      address: "192.0.2.7",
      secure: true,
      proxied: true,
    });
    listener.stop();
    expect(statSync(unix, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("is an origin", async () => {
    const unix = socketPath();
    gate((exchange) => exchange.answer(200, [], exchange.request.authority), { unix });
    const front = socketPath();
    proxy(target(`unix:${unix}`), { unix: front });
    expect(bodyOf(await askUnix(front))).toBe("shop.example");
  });

  test("is claimed only if nobody uses it, and it is a socket", () => {
    const path = socketPath();
    const address = { host: "", port: 0, unix: path };
    claimUnixPath(address);
    const { listener } = gate(undefined, { unix: path });
    expect(() => claimUnixPath(address)).toThrow("another process listens there");
    const link = `${dirname(path)}-link`;
    symlinkSync(dirname(path), link);
    later(() => rmSync(link));
    expect(() => claimUnixPath({ ...address, unix: join(link, "gate.sock") })).toThrow("another process listens there");
    listener.stop();
    writeFileSync(path, "mine");
    expect(() => claimUnixPath(address)).toThrow("it is a file that is no socket");
  });
});
