/** What goes to an origin and what comes back, over real sockets. */

import { describe, expect, test } from "vitest";
import { ask, client } from "./peer.ts";
import { answering, bodyOf, GET, LAST, OK, origin, proxy, statusOf, through } from "./wire.ts";

describe("a forwarded request", () => {
  test("reaches the origin as it came, without what belongs to one hop, and nothing is invented", async () => {
    const behind = answering(OK);
    const { port } = proxy({ ...behind.target, basePath: "/base" });
    await ask(
      port,
      "PROPFIND /a/../b//c%2F;x=\xe9?q=1&&r HTTP/1.1\r\nhost: Shop.Example:81\r\nX-B: 1\r\nconnection: close, X-Hop\r\n" +
        "x-hop: 1\r\nX-b: 2\r\nCookie: a=1; b=2\r\nTE: trailers\r\nUpgrade: h2c\r\nKeep-Alive: 3\r\n\r\n",
    );
    expect((await behind.peer()).text).toBe(
      "PROPFIND /base/a/../b//c%2F;x=\xe9?q=1&&r HTTP/1.1\r\nhost: Shop.Example:81\r\nX-B: 1\r\nX-b: 2\r\nCookie: a=1; b=2\r\n\r\n",
    );
  });

  test("cannot take away what the gate adds, by naming it in Connection", async () => {
    const { behind, port } = through(answering(OK), {
      plan: ({ request, remoteAddress }) => ({ headers: [...request.headers, "X-Forwarded-For", remoteAddress] }),
    });
    const fields = "Connection: close, X-Forwarded-For\r\nX-Forwarded-For: 6.6.6.6\r\n";
    await ask(port, `GET / HTTP/1.1\r\nHost: a\r\n${fields}\r\n`);
    expect((await behind.peer()).text).toBe("GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n");
  });

  test("goes over no connection to this host where its origin must be outside, a kept one neither", async () => {
    const behind = answering(OK);
    const { port, failures } = proxy(behind.target, {
      plan: ({ request }) => ({ origin: { ...behind.target, ...(request.target === "/team" && { isOutside: true }) } }),
    });
    expect(statusOf(await ask(port, LAST))).toBe(200);
    expect(statusOf(await ask(port, LAST.replace("/last", "/team")))).toBe(502);
    expect(failures).toEqual([{ kind: "unreachable", detail: expect.stringContaining("leads to the node itself") }]);
    expect(behind.peers.map(({ text }) => text.split(" ", 2)[1] ?? "nothing")).toEqual(["/last", "nothing"]);
  });

  test("keeps its Content-Length and its body", async () => {
    const { behind, port, ends } = through(origin((peer) => peer.text.endsWith("hello") && peer.send(OK)));
    const peer = await client(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhel");
    await (await behind.peer()).heard("hel");
    peer.send("lo");
    expect(bodyOf(await peer.done())).toBe("ok");
    expect((await behind.peer()).text).toBe("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    expect(ends).toMatchObject([{ status: 200, bytesReceived: 5, abortedBy: undefined }]);
  });

  test("of length 0 says so", async () => {
    const { behind, port } = through(answering(OK));
    await ask(port, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    expect((await behind.peer()).text).toBe("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  });

  test("in chunks is encoded as chunks again: extensions go, harmless trailers stay", async () => {
    const { behind, port } = through(origin((peer) => peer.text.includes("\r\n0\r\n") && peer.send(OK)));
    await ask(
      port,
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\nConnection: close\r\n\r\n" +
        "005;x=y\r\nhello\r\n1\r\n!\r\n0\r\nChecksum: 1\r\nHost: evil\r\n\r\n",
    );
    expect((await behind.peer()).text).toBe(
      "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\nChecksum: 1\r\n\r\n",
    );
  });

  test("with a malformed chunk gets 400, and the origin's connection is broken off", async () => {
    const { behind, port } = through(origin());
    const peer = await client(port, "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    const heard = await behind.peer();
    await heard.heard("hello");
    peer.send("0x2\r\nhi\r\n0\r\n\r\n");
    expect(statusOf(await peer.done())).toBe(400);
    await heard.until(({ closed }) => closed);
    expect(heard.text).not.toContain("0\r\n\r\n");
  });

  test("that expects 100 (Continue) gets it from the gate, and the origin hears nothing of it", async () => {
    const behind = origin((peer) => {
      if (peer.text.endsWith("\r\n\r\n")) peer.send("HTTP/1.1 100 Continue\r\n\r\n");
      if (peer.text.endsWith("hello")) peer.send(OK);
    });
    const { port } = proxy(behind.target);
    const peer = await client(
      port,
      "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
    );
    await peer.heard("100 Continue\r\n\r\n");
    peer.send("hello");
    expect(await peer.done()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n.*ok$/s);
    expect((await behind.peer()).text.toLowerCase()).not.toContain("expect");
  });

  test("that expects 100 (Continue) is not asked for its body when there is no origin to take it", async () => {
    const behind = origin();
    behind.stop();
    const { port } = proxy(behind.target);
    const head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    expect(await ask(port, head)).toMatch(/^HTTP\/1\.1 502 /);
  });

  test("answered before its body is complete passes the answer on and ends both connections", async () => {
    const behind = origin((peer) => {
      if (peer.text.length < 300) peer.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nbig");
    });
    const { port, ends } = proxy(behind.target);
    const peer = await client(port, `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 90000000\r\n\r\nx`);
    const text = await peer.done();
    expect(text).toMatch(/^HTTP\/1\.1 413 Content Too Large\r\n.*Connection: close\r\n.*big$/s);
    await (await behind.peer()).until(({ closed }) => closed);
    expect(ends[0]?.status).toBe(413);
  });
});

describe("a passed-on answer", () => {
  test.each([
    ["a length", "Content-Length: 5\r\n\r\nhello", "Content-Length: 5\r\nConnection: close\r\n\r\nhello"],
    [
      "chunks",
      "Transfer-Encoding: chunked\r\n\r\n5;x\r\nhello\r\n0\r\nA: b\r\n\r\n",
      "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
    ],
  ])("with %s keeps status, reason and the order, case and duplicates of its fields", async (_, sent, received) => {
    const fields =
      "HTTP/1.1 299 Sehr sch\xf6n\r\nSet-Cookie: a=1\r\nsErVer: x\r\nset-cookie: b=2\r\nContent-Encoding: gzip\r\n";
    const { port } = through(answering(`${fields}Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=9\r\n${sent}`));
    expect(await ask(port, LAST)).toBe(fields + received);
  });

  test("that ends with the connection becomes chunked", async () => {
    const behind = origin((peer) => {
      peer.send("HTTP/1.0 200 OK\r\n\r\nhello");
      peer.end();
    });
    const { port } = proxy(behind.target);
    expect(bodyOf(await ask(port, LAST))).toBe("5\r\nhello\r\n0\r\n\r\n");
  });

  test("to HTTP/1.0 is not chunked and ends with the connection", async () => {
    const { behind, port } = through(
      answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
    );
    const text = await ask(port, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    expect(text).toBe("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello");
    expect((await behind.peer()).text).toContain("HTTP/1.1\r\nHost: 127.0.0.1:");
  });

  test("keeps the length where there is no body: HEAD and 304", async () => {
    const { port } = through(answering("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n"));
    const head = "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n";
    expect(await ask(port, head + head.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))).toMatch(
      /^(HTTP\/1\.1 200 OK\r\nContent-Length: 1234\r\n(Connection: close\r\n)?\r\n){2}$/,
    );
    const unchanged = answering("HTTP/1.1 304 Not Modified\r\nContent-Length: 1234\r\nETag: x\r\n\r\n");
    expect(await ask(proxy(unchanged.target).port, LAST)).toMatch(/^HTTP\/1\.1 304 .*Content-Length: 1234\r\n/s);
  });

  test("is preceded by the origin's early hints, without its commands and for HTTP/1.1 only", async () => {
    const fields = "Anteroom-Command: revoke\r\nLink: </x>\r\ncf-waiting-room-command: a\r\n";
    const { port } = proxy(answering(`HTTP/1.1 103 Early Hints\r\n${fields}\r\n${OK}`).target);
    expect(await ask(port, LAST)).toMatch(/^HTTP\/1\.1 103 Early Hints\r\nLink: <\/x>\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(await ask(port, "GET / HTTP/1.0\r\nHost: a\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test("gets the fields that onResponse returns", async () => {
    const { port } = through(
      answering("HTTP/1.1 200 OK\r\nA: 1\r\nAnteroom-Command: revoke\r\nContent-Length: 0\r\n\r\n"),
      {
        plan: () => ({ onResponse: ({ headers }) => [...headers.slice(0, 2), "Set-Cookie", "s=1"] }),
      },
    );
    expect(await ask(port, LAST)).toMatch(/^HTTP\/1\.1 200 OK\r\nA: 1\r\nSet-Cookie: s=1\r\nContent-Length: 0\r\n/);
  });

  test("arrives piece by piece, as an event stream's must", async () => {
    const { behind, port, pass } = through(
      origin((peer) => peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n")),
    );
    const peer = await client(port, GET);
    await peer.heard("data: 1");
    // Silent for hours: longer than any limit.
    await pass(4 * 3_600_000);
    (await behind.peer()).send("data: 2\n\n");
    await peer.heard("data: 2");
  });
});

describe("an answer whose body is dropped", () => {
  const headOnly = (behind: ReturnType<typeof answering>) =>
    proxy(behind.target, { plan: () => ({ dropsBody: true }) });

  test.each([
    ["a length", "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 6\r\n\r\nsecret", true],
    ["chunks", "HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecret\r\n0\r\n\r\n", true],
    ["a length that is not reached", "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 60\r\n\r\nsecret", false],
    ["chunks without end", "HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n6\r\nsecret\r\n", false],
    ["no end but the connection's", "HTTP/1.1 200 OK\r\nX: y\r\n\r\nsecret", false],
    [
      "interim answers before",
      "HTTP/1.1 103 Early Hints\r\nLink: secret\r\n\r\nHTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 0\r\n\r\n",
      true,
    ],
  ])("comes as its head alone, with %s", async (_, answer, isKept) => {
    const behind = answering(answer);
    const { port } = headOnly(behind);
    const text = await ask(port, GET + LAST);
    expect(text).not.toContain("secret");
    expect(text.replace(/Date: .*\r\n/g, "")).toBe(
      "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 0\r\n\r\n" +
        "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    );
    expect(behind.peers).toHaveLength(isKept ? 1 : 2);
  });

  test("has no length where there is never a body", async () => {
    const { port } = headOnly(answering("HTTP/1.1 204 No Content\r\nX: y\r\n\r\n"));
    expect(await ask(port, LAST)).toBe("HTTP/1.1 204 No Content\r\nX: y\r\nConnection: close\r\n\r\n");
  });
});
