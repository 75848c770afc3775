/**
 * The server side over real sockets: what a client may send, and what it receives. Forwarding to an origin is in
 * `forward.test.ts`.
 */

import { describe, expect, test } from "vitest";
import type { Exchange } from "../../../node/http/message.ts";
import { moreThanTheHostHolds } from "./host-buffers.ts";
import { ask, client } from "./peer.ts";
import { settled } from "./settled.ts";
import { bodyOf, eventually, GET, gate, LAST, statusOf } from "./wire.ts";

describe("an answer", () => {
  test("has Content-Length, Date and the handler's fields, and keeps the connection", async () => {
    const { port, ends } = gate();
    const peer = await client(port, GET);
    const text = await peer.heard("GET /a");
    expect(text).toMatch(
      /^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\nContent-Length: 6\r\n\r\nGET \/a$/,
    );
    expect(ends).toEqual([{ status: 200, bytesSent: text.length, bytesReceived: 0, abortedBy: undefined }]);
    peer.send(LAST);
    expect(await peer.done()).toMatch(/Connection: close\r\n.*GET \/last$/s);
  });

  test("in UTF-8 has its length in bytes", async () => {
    const { port } = gate((exchange) => exchange.answer(200, ["X-Latin", "\xe9"], "Grüße →"));
    const text = await ask(port, LAST);
    expect(text).toContain("X-Latin: \xe9\r\n");
    expect(text).toContain("Content-Length: 11\r\n");
    expect(Buffer.from(bodyOf(text), "latin1").toString()).toBe("Grüße →");
  });

  test("may be bytes", async () => {
    const { port } = gate((exchange) => exchange.answer(200, [], { latin1: "\0\xff\r\n" }));
    expect(bodyOf(await ask(port, LAST))).toBe("\0\xff\r\n");
  });

  test("longer than the host's buffers arrives whole at a slow reader", async () => {
    const bytes = await moreThanTheHostHolds();
    const { port, ends } = gate((exchange) => exchange.answer(200, [], "x".repeat(bytes)));
    const peer = await client(port);
    peer.keep = false;
    peer.pause();
    peer.send(LAST);
    await eventually(() => ends.length === 1);
    await settled();
    peer.resume();
    await peer.done();
    expect(peer.bytes).toBeGreaterThan(bytes);
  });

  test("to HEAD has the length and no body", async () => {
    const { port } = gate();
    const text = await ask(port, `HEAD /a HTTP/1.1\r\nHost: a\r\n\r\n${LAST}`);
    expect(text).toMatch(/Content-Length: 7\r\n\r\nHTTP\/1\.1 200/);
  });

  test.each([204, 304])("with status %i has no body and no length", async (status) => {
    const { port } = gate((exchange) => exchange.answer(status, [], "ignored"));
    const text = await ask(port, LAST);
    expect(text).not.toContain("Content-Length");
    expect(bodyOf(text)).toBe("");
  });

  test("cannot be framed by its handler, nor split by what it writes", async () => {
    const { port, errors } = gate((exchange) =>
      exchange.answer(
        200,
        ["Content-Length", "1", "Connection", "x", "Location", exchange.request.target.slice(1)],
        "body",
      ),
    );
    const fine = await ask(port, LAST);
    expect(fine.match(/Content-Length/g)).toHaveLength(1);
    expect(fine).toContain("Connection: close\r\n");
    expect(errors).toEqual([]);
    const { port: other, errors: faults } = gate((exchange) => exchange.answer(200, ["X", "a\r\nSet-Cookie: b"], ""));
    expect(statusOf(await ask(other, LAST))).toBe(500);
    expect(faults).toHaveLength(1);
  });

  test("to HTTP/1.0 ends the connection, unless it asked to keep it", async () => {
    const { port } = gate();
    expect(await ask(port, "GET / HTTP/1.0\r\n\r\n")).toContain("Connection: close\r\n");
    const peer = await client(port, "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    expect(await peer.heard("GET /1")).toContain("Connection: keep-alive\r\n");
    peer.send("GET /2 HTTP/1.0\r\n\r\n");
    expect(await peer.done()).toMatch(/GET \/2$/);
  });
});

describe("a connection", () => {
  test("answers pipelined requests in order, one exchange at a time", async () => {
    const open: Exchange[] = [];
    const { port } = gate((exchange) => open.push(exchange));
    const peer = await client(port, `${GET}GET /b HTTP/1.1\r\nHost: a\r\n\r\n${LAST}`);
    for (const name of ["/a", "/b", "/last"]) {
      await eventually(() => open.length === 1, `the exchange of ${name}`);
      const [exchange] = open.splice(0);
      expect(exchange?.request.target).toBe(name);
      exchange?.answer(200, [], name);
    }
    const text = await peer.done();
    expect([...text.matchAll(/\r\n\r\n(\/[a-z]+)/g)].map(([, name]) => name)).toEqual(["/a", "/b", "/last"]);
  });

  test("answers a thousand pipelined requests while the client does not read", async () => {
    const answer = "x".repeat(Math.ceil((await moreThanTheHostHolds()) / 1_000));
    const { port, exchanges } = gate((exchange) => exchange.answer(200, [], answer));
    const peer = await client(port);
    peer.keep = false;
    peer.pause();
    peer.send(GET.repeat(1_000) + LAST);
    await settled();
    // The gate has stopped in the middle.
    expect(exchanges.length).toBeLessThan(1_000);
    peer.resume();
    await peer.done();
    expect(peer.bytes).toBeGreaterThan(1_001 * answer.length);
  });

  test("gets the answer under way and no other, if it sends requests without end and waits for none", async () => {
    const { port, exchanges, errors } = gate((exchange) => exchange.answer(200, [], "hello"));
    const peer = await client(port, GET.repeat(60_000));
    const text = await peer.done();
    expect(text).toMatch(/Connection: close\r\n/);
    expect(exchanges.length).toBeLessThan(10_000);
    expect(errors).toEqual([]);
  });

  test("that sends many requests at once keeps nobody waiting for more than a few of them", async () => {
    const turns: string[] = [];
    const { port } = gate((exchange) => {
      turns.push(exchange.request.target);
      exchange.answer(200, [], "hello");
    });
    const other = await client(port, GET);
    await other.heard("hello");
    const many = await client(port);
    many.send("GET /many HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_500));
    for (let n = 0; n < 5; n += 1) {
      const before = other.bytes;
      other.send(GET);
      await other.until(({ bytes }) => bytes > before);
    }
    // All that the many had in one turn of the event loop stands between two requests of the other.
    const runs = turns
      .join(" ")
      .split("/a")
      .map((run) => run.split(" /many").length - 1);
    await eventually(() => turns.length === 1_506);
    expect(Math.max(...runs.slice(1, -1))).toBeLessThan(500);
  });

  test("answers OPTIONS * by itself", async () => {
    const { port, exchanges } = gate();
    const text = await ask(port, `OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n${LAST}`);
    expect(text).toMatch(/^HTTP\/1\.1 204 No Content\r\nAllow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n/);
    expect(text).toContain("GET /last");
    expect(exchanges).toHaveLength(1);
  });

  test("serves a client that ends its side after the request", async () => {
    const later: Exchange[] = [];
    const { port } = gate((exchange) => later.push(exchange));
    const peer = await client(port, GET);
    peer.shutdown();
    await eventually(() => later.length === 1);
    await settled();
    later[0]?.answer(200, [], "late");
    expect(bodyOf(await peer.done())).toBe("late");
  });

  test("that asks for CONNECT learns what is allowed", async () => {
    const { port } = gate();
    const text = await ask(port, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n");
    expect(statusOf(text)).toBe(405);
    expect(text).toContain("Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n");
  });
});

describe("an unwanted request body", () => {
  test("is dropped, and the connection continues", async () => {
    const { port, ends } = gate();
    const body = "x".repeat(10_000);
    const peer = await client(port, `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n`);
    await peer.heard("POST /a");
    peer.send(body.slice(0, 4_000));
    peer.send(body.slice(4_000) + LAST);
    const text = await peer.done();
    expect(text).toMatch(/GET \/last$/);
    expect(ends).toHaveLength(2);
  });

  test("that is long costs the connection, but the client can read its answer", async () => {
    const { port } = gate();
    const peer = await client(port, `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n`);
    peer.send(Buffer.alloc(3_000_000, "x"));
    const text = await peer.done();
    expect(text).toContain("Connection: close\r\n");
    expect(text).toMatch(/POST \/a$/);
  });

  test("announced by Expect is not asked for", async () => {
    const { port } = gate();
    const text = await ask(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    expect(text).not.toContain("100 Continue");
    expect(text).toContain("Connection: close\r\n");
  });
});

describe("a handler", () => {
  test("that throws costs a 500 and nothing else", async () => {
    const { port, errors } = gate((exchange) => {
      if (exchange.request.target === "/a") throw new Error("broken");
      exchange.answer(200, [], "fine");
    });
    expect(await ask(port, GET + LAST)).toMatch(/^HTTP\/1\.1 500 .*fine$/s);
    expect(errors).toHaveLength(1);
  });

  test("whose listener fails does not disturb the answer", async () => {
    const errors: unknown[] = [];
    const { port } = gate(undefined, {
      onEnd() {
        throw new Error("full disk");
      },
      onError: (error) => errors.push(error),
    });
    expect(await ask(port, LAST)).toMatch(/GET \/last$/);
    expect(errors).toHaveLength(1);
  });
});
