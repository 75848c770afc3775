/** TLS towards clients and towards origins. */

import { describe, expect, test } from "vitest";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { selfSigned } from "../../self-signed.ts";
import { moreThanTheHostHolds } from "./host-buffers.ts";
import { ask, client } from "./peer.ts";
import { settled } from "./settled.ts";
import { bodyOf, eventually, GET, gate, LAST, OK, origin, proxy, statusOf } from "./wire.ts";

const { headMs, sweepMs } = DEFAULT_HTTP_LIMITS;

describe("TLS", () => {
  const tls = selfSigned("localhost");

  test("to an origin is verified, name included, and failing that the origin is unreachable", async () => {
    const behind = origin((peer) => peer.send(OK), tls);
    const named = { ...behind.target, hostname: "localhost" };
    expect(bodyOf(await ask(proxy(named, { originTls: { ca: tls.cert } }).port, LAST))).toBe("ok");
    for (const [to, originTls] of [
      [named, {}],
      [behind.target, { ca: tls.cert }],
    ] as const) {
      const { port, failures } = proxy(to, { originTls });
      expect(statusOf(await ask(port, LAST))).toBe(502);
      expect(failures).toMatchObject([{ kind: "unreachable" }]);
    }
    const trusting = proxy(behind.target, { originTls: { rejectUnauthorized: false } });
    expect(bodyOf(await ask(trusting.port, LAST))).toBe("ok");
  });

  test("to an origin with a name of its own asks and verifies by that name", async () => {
    const hosted = selfSigned("shop.hosted.example");
    const behind = origin((peer) => peer.send(OK), hosted);
    const originTls = { ca: hosted.cert };
    const named = proxy({ ...behind.target, askedAs: "shop.hosted.example" }, { originTls });
    expect(bodyOf(await ask(named.port, LAST))).toBe("ok");
    expect((await behind.peer()).text).toBe("GET /last HTTP/1.1\r\nHost: shop.hosted.example\r\n\r\n");
    for (const askedAs of [undefined, "other.hosted.example"]) {
      const { port, failures } = proxy({ ...behind.target, ...(askedAs && { askedAs }) }, { originTls });
      expect(statusOf(await ask(port, LAST))).toBe(502);
      expect(failures).toMatchObject([{ kind: "unreachable" }]);
    }
  });

  test("is not shared by two names of one origin", async () => {
    const one = selfSigned("one.hosted.example");
    const behind = origin((peer) => peer.text.endsWith("\r\n\r\n") && peer.send(OK), one);
    let askedAs = "one.hosted.example";
    const { port, failures } = proxy(behind.target, {
      plan: () => ({ origin: { ...behind.target, askedAs } }),
      originTls: { ca: one.cert },
    });
    expect(bodyOf(await ask(port, LAST))).toBe("ok");
    askedAs = "two.hosted.example";
    expect(statusOf(await ask(port, LAST))).toBe(502);
    expect(failures).toMatchObject([{ kind: "unreachable" }]);
  });

  test("of clients is spoken, also with a long answer to a slow reader", async () => {
    const bytes = await moreThanTheHostHolds();
    const { port, exchanges, ends } = gate(
      (exchange) => exchange.answer(200, [], exchange.request.target === "/last" ? "x".repeat(bytes) : "short"),
      { tls: { certificates: [tls] } },
    );
    const peer = await client(port, GET, { rejectUnauthorized: false });
    await peer.heard("short");
    peer.keep = false;
    peer.pause();
    peer.send(LAST);
    await eventually(() => ends.length === 2);
    await settled();
    peer.resume();
    await peer.done();
    expect(peer.bytes).toBeGreaterThan(bytes);
    expect(exchanges[0]?.secure).toBe(true);
  });

  test("of clients that never finish the handshake is bounded in time like every head", async () => {
    const { port, listener, errors, pass } = gate(undefined, { tls: { certificates: [tls] } });
    const peer = await client(port);
    await eventually(() => listener.connections === 1);
    await pass(headMs);
    expect(listener.connections).toBe(1);
    await pass(sweepMs);
    await peer.done();
    await ask(port, GET);
    expect(errors).toEqual([]);
  });
});
