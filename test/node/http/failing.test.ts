/** What happens on one side of a forwarded request when the other fails. */

import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { ask, client } from "./peer.ts";
import { answering, GET, LAST, OK, origin, proxy, statusOf, target, through } from "./wire.ts";

const { bodyMs, connectMs, originMs, sweepMs } = DEFAULT_HTTP_LIMITS;

describe("a client that goes away", () => {
  test("while the origin is still thinking ends the origin's request at once", async () => {
    const { behind, port, ends } = through(origin());
    const peer = await client(port, GET);
    const heard = await behind.peer();
    await heard.heard("GET");
    peer.end();
    await heard.until(({ closed, ended }) => closed || ended);
    expect(ends).toMatchObject([{ status: 499, abortedBy: "client" }]);
  });

  test("in the middle of an answer ends the origin's request", async () => {
    const { behind, port, ends } = through(answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel"));
    const peer = await client(port, GET);
    await peer.heard("hel");
    peer.reset();
    await (await behind.peer()).until(({ closed, ended }) => closed || ended);
    expect(ends).toMatchObject([{ status: 200, abortedBy: "client" }]);
  });

  test("in the middle of its body never looks like a whole request", async () => {
    const { behind, port } = through(origin());
    const peer = await client(port, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    const heard = await behind.peer();
    await heard.heard("hello");
    peer.end();
    await heard.until(({ closed, ended }) => closed || ended);
    expect(heard.text).not.toContain("0\r\n\r\n");
  });
});

describe("an origin that fails", () => {
  test.each([
    ["with a length", "Content-Length: 9\r\n\r\nhel"],
    ["in chunks", "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n"],
  ])("in the middle of an answer %s breaks the client's stream off, without a false end", async (_, answer) => {
    const behind = origin((peer) => {
      peer.send(`HTTP/1.1 200 OK\r\n${answer}`);
      peer.end();
    });
    const { port, ends, broken } = proxy(behind.target);
    const text = await ask(port, GET);
    expect(text).toContain("hel");
    expect(text).not.toContain("0\r\n\r\n");
    expect(ends).toMatchObject([{ status: 200, abortedBy: "origin" }]);
    expect(broken).toEqual([{ kind: "bad-response", detail: "it broke off within its answer" }]);
  });

  test("by reset where only the connection's end would end the body, resets the client", async () => {
    const behind = origin((peer) => {
      peer.send("HTTP/1.0 200 OK\r\n\r\nhel");
    });
    const { port, ends } = proxy(behind.target);
    const peer = await client(port, GET);
    await peer.heard("hel");
    (await behind.peer()).reset();
    const text = await peer.done();
    expect(text).not.toContain("0\r\n\r\n");
    expect(ends).toMatchObject([{ abortedBy: "origin" }]);
  });

  test("to listen is unreachable: while a body is under way, that costs its answer and not the connection", async () => {
    const gone = origin();
    gone.stop();
    const { port, failures } = proxy(gone.target);
    const peer = await client(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
    await peer.heard("502");
    peer.send(`llo${LAST}`);
    expect((await peer.done()).match(/HTTP\/1\.1 502/g)).toHaveLength(2);
    expect(failures).toMatchObject([{ kind: "unreachable" }, { kind: "unreachable" }]);
  });

  test("to have an address is unreachable", async () => {
    const { port, failures } = proxy(target("http://nowhere.invalid"));
    expect(statusOf(await ask(port, LAST))).toBe(502);
    expect(failures).toMatchObject([{ kind: "unreachable" }]);
  });

  test("to answer in time is a timeout, and its request is ended", async () => {
    const { behind, port, failures, pass } = through(origin());
    const peer = await client(port, LAST);
    await (await behind.peer()).heard("GET");
    await pass(originMs);
    expect([peer.text, failures]).toEqual(["", []]);
    await pass(sweepMs);
    expect(statusOf(await peer.done())).toBe(504);
    expect(failures).toMatchObject([{ kind: "timeout" }]);
    await (await behind.peer()).until(({ closed }) => closed);
  });

  test("to answer in time is none while the client pauses in its body", async () => {
    const behind = origin((peer) => {
      if (peer.text.endsWith("hello")) peer.send(OK);
    });
    const limits = { originMs: 5_000 };
    const { port, failures, pass } = proxy(behind.target, { limits });
    const peer = await client(port, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
    await (await behind.peer()).heard("he");
    // Less than it may take to send its body.
    await pass(4 * limits.originMs);
    peer.send("llo");
    await peer.heard("ok");
    expect(failures).toEqual([]);
  });

  test("to answer in time is none when the client was asked for its body and does not send it", async () => {
    const { port, pass } = proxy(origin().target, { limits: { originMs: 5_000 } });
    const head = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    const peer = await client(port, head);
    await peer.heard("100 Continue");
    await pass(bodyMs);
    expect(peer.text).not.toContain("408");
    await pass(sweepMs);
    expect(await peer.done()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 408 /);
  });

  test("to finish a TLS handshake in time is a timeout", async () => {
    const silent = origin();
    const { port, failures, pass } = proxy({ ...silent.target, tls: true });
    const peer = await client(port, LAST);
    await silent.peer();
    await pass(connectMs);
    expect(failures).toEqual([]);
    await pass(sweepMs);
    expect(statusOf(await peer.done())).toBe(504);
    expect(failures).toMatchObject([{ kind: "timeout" }]);
  });

  test.each([
    ["nonsense", "hello\r\n\r\n"],
    ["nonsense without an end", "hello"],
    ["an empty line without CR", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\nok"],
    ["an empty line with CR behind others without", "HTTP/1.1 200 OK\nContent-Length: 2\n\r\nok"],
    ["an endless head", `HTTP/1.1 200 OK\r\nA: ${"x".repeat(70_000)}`],
    ["an endless long head", `HTTP/1.1 200 OK\r\nA: ${"x".repeat(70_000)}\r\n\r\n`],
  ])("to be understood (%s) is a bad response", async (_, answer) => {
    const { behind, port, failures } = through(answering(""));
    const asked = ask(port, LAST);
    (await behind.peer()).send(answer);
    expect(await asked).toContain("HTTP/1.1 502 ");
    expect(failures).toMatchObject([{ kind: "bad-response" }]);
  });

  test("and a handler that then says nothing still give the visitor an answer", async () => {
    const { port } = through(
      origin((peer) => peer.end()),
      { plan: () => ({ onFailure() {} }) },
    );
    expect(statusOf(await ask(port, LAST))).toBe(502);
  });

  test("is one thing, a handler that throws over its answer another: 500", async () => {
    const onResponse = (): never => {
      throw new Error("broken");
    };
    const { port, errors } = proxy(answering(OK).target, { plan: () => ({ onResponse }) });
    expect(statusOf(await ask(port, LAST))).toBe(500);
    expect(errors).toHaveLength(1);
  });
});
