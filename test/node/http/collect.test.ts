/** The gate reads a body itself: a small one whole, and no more than its limit of a larger one. */

import { describe, expect, test } from "vitest";
import { client } from "./peer.ts";
import { eventually, gate } from "./wire.ts";

const MAX = 1_000;

/** Answers with how many bytes were collected, and then how they begin and end. */
function collecting(): ReturnType<typeof gate> {
  return gate((exchange) =>
    exchange.collect(MAX, (body) =>
      exchange.answer(
        200,
        [],
        body === undefined ? "too much" : `${body.length} ${body.slice(0, 3)}..${body.slice(-3)}`,
      ),
    ),
  );
}

const HEAD = "POST / HTTP/1.1\r\nHost: a\r\n";
const NEXT = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

describe("a body that is collected", () => {
  test.each([
    ["of known length", `${HEAD}Content-Length: 5\r\n\r\na=1&b`, "5 a=1..1&b"],
    ["in chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n2\r\na=\r\n3\r\n1&b\r\n0\r\n\r\n`, "5 a=1..1&b"],
    ["that is not there", `${HEAD}\r\n`, "0 .."],
    ["of no bytes", `${HEAD}Content-Length: 0\r\n\r\n`, "0 .."],
    ["as long as the limit", `${HEAD}Content-Length: ${MAX}\r\n\r\n${"x".repeat(MAX)}`, `${MAX} xxx..xxx`],
  ])("%s is whole, and the next request is read after it", async (_, request, wanted) => {
    const served = collecting();
    const peer = await client(served.port, request + NEXT);
    await peer.done();
    expect(peer.text).toContain(wanted);
    expect(peer.text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(served.errors).toEqual([]);
  });

  test.each([
    ["of known length", `${HEAD}Content-Length: ${MAX + 1}\r\n\r\n`],
    ["in chunks", `${HEAD}Transfer-Encoding: chunked\r\n\r\n3e9\r\n${"x".repeat(MAX + 1)}\r\n`],
    ["that waits to be asked for", `${HEAD}Content-Length: 5\r\nExpect: 100-continue\r\n\r\n`],
  ])("that does not fit is given up: one %s", async (_, request) => {
    const served = collecting();
    const peer = await client(served.port, request);
    await eventually(() => peer.text.includes("too much"));
    expect(served.errors).toEqual([]);
  });

  test("of a client that went away is not handed on", async () => {
    let calls = 0;
    const served = gate((exchange) => exchange.collect(MAX, () => (calls += 1)));
    const peer = await client(served.port, `${HEAD}Content-Length: 5\r\n\r\na=`);
    await eventually(() => served.exchanges.length === 1);
    peer.reset();
    await eventually(() => served.ends.length === 1);
    expect(calls).toBe(0);
  });
});
