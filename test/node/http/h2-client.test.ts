/** HTTP/2 of clients, by Node.js's own client. */

import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type Settings,
} from "node:http2";
import { connect as connectTls } from "node:tls";
import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import type { ListenOptions } from "../../../node/http/listener.ts";
import { selfSigned } from "../../self-signed.ts";
import { later } from "./peer.ts";
import { settled } from "./settled.ts";
import { eventually, gate, origin, proxy } from "./wire.ts";

const tls: ListenOptions["tls"] = { certificates: [selfSigned("localhost")] };

const { idleMs, lingerMs, stallMs, standstillMs, sweepMs } = DEFAULT_HTTP_LIMITS;

async function session(port: number, settings: Settings = {}): Promise<ClientHttp2Session> {
  const made = connect(`https://localhost:${port}`, { rejectUnauthorized: false, settings });
  made.on("error", () => undefined);
  later(() => made.destroy());
  await new Promise((resolve, reject) => {
    made.once("connect", resolve);
    made.once("close", () => reject(new Error("Cannot ask as the connection must be accepted: it was closed")));
  });
  return made;
}

async function responded(stream: ClientHttp2Stream): Promise<void> {
  let has = false;
  stream.once("response", () => {
    has = true;
  });
  await eventually(() => has, "a response");
}

interface Got {
  readonly headers: Record<string, unknown>;
  readonly body: string;
  /** Whether the answer is whole. */
  readonly whole: boolean;
}

/** One request; `body` pieces are sent after the head. */
async function request(
  on: ClientHttp2Session,
  fields: OutgoingHttpHeaders,
  body: readonly string[] = [],
): Promise<Got> {
  const stream = on.request(fields, { endStream: body.length === 0 });
  let headers = {};
  let text = "";
  let whole = false;
  let isClosed = false;
  stream.on("response", (got) => {
    headers = { ...got };
  });
  stream.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
  });
  stream.on("end", () => {
    whole = stream.rstCode === constants.NGHTTP2_NO_ERROR;
  });
  stream.on("error", () => undefined);
  stream.on("close", () => {
    isClosed = true;
  });
  for (const piece of body) stream.write(piece);
  if (body.length > 0) stream.end();
  await eventually(() => isClosed, "the end of the request");
  return { headers, body: text, whole: whole && stream.rstCode === 0 };
}

/** A frame (RFC 9113, section 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A field as it is, without an index or a table (RFC 7541, section 6.2.2). */
function literal(name: string, value: string): Buffer {
  const sized = (text: string) => Buffer.from(`${String.fromCharCode(text.length)}${text}`, "latin1");
  return Buffer.concat([Buffer.from([0]), sized(name), sized(value)]);
}

describe("HTTP/2", () => {
  test.each([
    ["before", " 1"],
    ["after", "1\t"],
  ])("a request with a blank %s a value is refused, and the field is not dropped in silence", async (_, value) => {
    const { port, exchanges } = gate(undefined, { tls });
    const fields = [":method", "GET", ":path", "/", ":scheme", "https", ":authority", "localhost", "x-a", value];
    const head = Buffer.concat(
      Array.from({ length: fields.length / 2 }, (_, at) => literal(fields[2 * at] ?? "", fields[2 * at + 1] ?? "")),
    );
    const socket = connectTls({ port, host: "localhost", ALPNProtocols: ["h2"], rejectUnauthorized: false });
    later(() => socket.destroy());
    let text = "";
    socket.on("data", (bytes: Buffer) => {
      text += bytes.toString("latin1");
    });
    await new Promise((resolve) => socket.once("secureConnect", resolve));
    const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    socket.write(Buffer.concat([preface, frame(4, 0, 0, Buffer.alloc(0)), frame(1, 5, 1, head)]));
    await eventually(() => text.includes('400: the HTTP/2 request is malformed at its field "x-a"'), "a refusal");
    expect(exchanges).toEqual([]);
  });

  test("requests reach the gate as they are, and answers the client", async () => {
    const { port, exchanges, ends } = gate(
      (exchange) =>
        exchange.answer(201, ["Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-One", "1"], exchange.request.target),
      { tls },
    );
    const on = await session(port);
    const { headers, body, whole } = await request(on, {
      ":path": "/a%2Fb/../c?x=%20",
      cookie: "a=1; b=2",
      "x-y": "z",
    });
    expect({ body, whole }).toEqual({ body: "/a%2Fb/../c?x=%20", whole: true });
    expect(headers).toMatchObject({
      ":status": 201,
      "set-cookie": ["a=1", "b=2"],
      "x-one": "1",
      "content-length": "17",
    });
    expect(headers).not.toHaveProperty("connection");
    const [exchange] = exchanges;
    expect(exchange).toMatchObject({ secure: true, remoteAddress: "127.0.0.1", hasBody: false });
    expect(exchange?.request).toMatchObject({ method: "GET", authority: `localhost:${port}`, host: "localhost" });
    expect(exchange?.request.headers).toEqual(expect.arrayContaining(["cookie", "a=1; b=2", "x-y", "z"]));
    expect(ends).toMatchObject([{ status: 201, abortedBy: undefined }]);
    expect(await request(on, { ":method": "HEAD", ":path": "/" })).toMatchObject({ body: "", whole: true });
  });

  test("many requests side by side are one connection", async () => {
    const { port, listener, exchanges } = gate(() => undefined, { tls });
    const on = await session(port);
    const paths = Array.from({ length: 90 }, (_, at) => `/${at}`);
    const answers = Promise.all(paths.map((path) => request(on, { ":path": path })));
    await eventually(() => exchanges.length === 90);
    expect(listener.connections).toBe(1);
    for (const exchange of exchanges) exchange.answer(200, [], exchange.request.target);
    expect((await answers).map(({ body }) => body)).toEqual(paths);
    on.close();
    await eventually(() => listener.connections === 0);
  });

  test("bodies pass both ways, with a stated length and without", async () => {
    const behind = origin((peer) => {
      if (peer.text.includes("end")) {
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
        peer.send("4\r\n you\r\n0\r\n\r\n");
      }
    });
    const { port } = proxy(behind.target, { tls });
    const on = await session(port);
    const answers = [
      await request(on, { ":method": "POST", ":path": "/p" }, ["begin ", "end"]),
      await request(on, { ":method": "POST", ":path": "/p", "content-length": 9 }, ["begin ", "end"]),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ body: "hello you", whole: true });
    const sent = behind.peers.map(({ text }) => text).join("");
    expect(sent).toContain("Transfer-Encoding: chunked\r\n");
    expect(sent).toMatch(/content-length: 9\r\n\r\nbegin end/i);
  });

  test("a client that waits for 100 (Continue) gets it, and then sends its body", async () => {
    const behind = origin((peer) => {
      if (peer.text.includes("hello")) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    const { port } = proxy(behind.target, { tls });
    const fields = { ":method": "POST", ":path": "/", "content-length": 5, expect: "100-continue" };
    const stream = (await session(port)).request(fields);
    stream.on("error", () => undefined);
    stream.on("continue", () => stream.end("hello"));
    let status: unknown;
    stream.on("response", (got) => {
      status = got[":status"];
    });
    await responded(stream);
    expect(status).toBe(200);
  });

  test.each([
    [3, "longer than stated"],
    [30, "shorter than stated"],
  ])("a body whose stated length is %i is %s: no second request comes of it", async (length) => {
    const { port, exchanges } = gate(() => undefined, { tls });
    const on = await session(port);
    const smuggled = "abcGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n".slice(0, length === 3 ? undefined : 10);
    const got = request(on, { ":method": "POST", ":path": "/p", "content-length": length }, [smuggled]);
    // All of the body has come before the answer.
    await settled();
    for (const exchange of exchanges) exchange.answer(200, [], "ok");
    await got;
    await settled();
    expect(exchanges.map(({ request: { target } }) => target)).toEqual(exchanges.length === 0 ? [] : ["/p"]);
  });

  test("an answer that breaks off does not look whole", async () => {
    const behind = origin((peer) => {
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\na part");
      peer.end();
    });
    const { port } = proxy(behind.target, { tls });
    const answer = await request(await session(port), { ":path": "/" });
    expect(answer.whole).toBe(false);
  });

  test("a client that takes nothing for longer than a connection lingers gets its answer then", async () => {
    const { port, pass, exchanges } = gate((exchange) => exchange.answer(200, [], "x".repeat(30_000)), { tls });
    const on = await session(port, { initialWindowSize: 0 });
    const answer = request(on, { ":path": "/" });
    await eventually(() => exchanges.length === 1);
    await pass(10 * lingerMs);
    on.settings({ initialWindowSize: 65_535 });
    const { body, whole } = await answer;
    expect([body.length, whole]).toEqual([30_000, true]);
  });

  test("a client that never reads loses its request in the end", async () => {
    const { port, pass, exchanges } = gate((exchange) => exchange.answer(200, [], "x".repeat(30_000)), { tls });
    const on = await session(port, { initialWindowSize: 0 });
    const stream = on.request({ ":path": "/" });
    stream.on("error", () => undefined);
    await eventually(() => exchanges.length === 1);
    await pass(stallMs);
    expect(stream.closed).toBe(false);
    await pass(sweepMs);
    await eventually(() => stream.closed);
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
  });

  test("a client need not send the rest of a request that is answered", async () => {
    const { port, pass } = gate((exchange) => exchange.answer(413, [], "too long"), { tls });
    const stream = (await session(port)).request({ ":method": "POST", ":path": "/" }, { endStream: false });
    stream.on("error", () => undefined);
    stream.resume();
    await responded(stream);
    await pass(lingerMs + sweepMs);
    await eventually(() => stream.closed);
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });

  test.each<[string, OutgoingHttpHeaders, boolean]>([
    ["send no body", { ":method": "POST", "content-length": 10 }, false],
    ["send no body after the answer", { ":method": "POST", "content-length": 10 }, true],
    ["read no answer", {}, true],
  ])("clients that %s lock out no other client", async (_, fields, isAnswered) => {
    const { port, exchanges, pass } = gate(
      (exchange) => {
        const isLast = exchange.request.target === "/last";
        if (isAnswered || isLast) exchange.answer(200, [], isLast ? "ok" : "x".repeat(100_000));
      },
      { tls, limits: { connectionsMax: 2 } },
    );
    for (let count = 1; count <= 2; count++) {
      const on = await session(port, { initialWindowSize: 0 });
      const stream = on.request({ ":path": "/", ...fields }, { endStream: fields[":method"] === undefined });
      stream.on("error", () => undefined);
      await eventually(() => exchanges.length === count);
    }
    await pass(standstillMs + 2 * sweepMs);
    expect((await request(await session(port), { ":path": "/last" })).body).toBe("ok");
  });

  test("an answer has the fields that the origin gave it, twice too, and is never left hanging", async () => {
    const given = ["Content-Type: a/b", "Content-Type: c/d", "Constructor: x", "__proto__: y", "Vary: a", "Vary: b"];
    const behind = origin((peer) => {
      peer.send(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n${given.join("\r\n")}\r\n\r\nok`);
    });
    const { port, errors } = proxy(behind.target, { tls });
    const { headers, body } = await request(await session(port), { ":path": "/" });
    const fields = new Map(Object.entries(headers));
    expect(["content-type", "constructor", "__proto__", "vary"].map((name) => fields.get(name))).toEqual([
      ...["a/b, c/d", "x", "y", "a, b"],
    ]);
    expect([body, errors]).toEqual(["ok", []]);
  });

  test("a client that resets its request is gone for the gate", async () => {
    const { port, exchanges, ends } = gate(() => undefined, { tls });
    const on = await session(port);
    const stream = on.request({ ":path": "/" });
    stream.on("error", () => undefined);
    await eventually(() => exchanges.length === 1);
    stream.close(constants.NGHTTP2_CANCEL);
    await eventually(() => exchanges[0]?.gone === true);
    expect(ends).toMatchObject([{ status: 499, abortedBy: "client" }]);
  });

  test.each([0, 1])(
    "a client that closes its connection is gone at once, with %i requests under way",
    async (count) => {
      const { port, exchanges, ends, listener } = gate(() => undefined, { tls });
      const on = await session(port);
      if (count > 0) on.request({ ":path": "/" }).on("error", () => undefined);
      await eventually(() => exchanges.length === count);
      on.destroy();
      await eventually(() => listener.connections === 0);
      expect(ends).toMatchObject(exchanges.map(() => ({ status: 499, abortedBy: "client" })));
    },
  );

  test("connections end in good order when the gate drains, and when nothing is asked", async () => {
    const { port, listener, exchanges } = gate(() => undefined, { tls });
    const on = await session(port);
    const answer = request(on, { ":path": "/" });
    await eventually(() => exchanges.length === 1);
    const drained = listener.drain(5_000);
    exchanges[0]?.answer(200, [], "ok");
    expect((await answer).body).toBe("ok");
    await drained;
    const quiet = gate(undefined, { tls });
    const idle = await session(quiet.port);
    await quiet.pass(idleMs);
    expect(idle.closed).toBe(false);
    await quiet.pass(sweepMs);
    await eventually(() => idle.closed);
    await quiet.pass(lingerMs);
    await eventually(() => quiet.listener.connections === 0);
  });

  test("is not offered where it is turned off", async () => {
    const { port } = gate(undefined, { tls, http1Only: true });
    const refused = connect(`https://localhost:${port}`, { rejectUnauthorized: false });
    // The gate's answer by HTTP/1.1 may be a second error.
    refused.on("error", () => undefined);
    const error = await new Promise<Error>((resolve) => refused.once("error", resolve));
    expect(error).toBeInstanceOf(Error);
  });
});
