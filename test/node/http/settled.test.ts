/**
 * The barrier is far enough away: what a test says has not come would have come before it, on whatever machine.
 */

import { expect, test } from "vitest";
import type { ListenOptions } from "../../../node/http/listener.ts";
import { selfSigned } from "../../self-signed.ts";
import { client } from "./peer.ts";
import { ROUNDS, settled } from "./settled.ts";
import { answering, proxy } from "./wire.ts";

test("an answer that comes through three gates by TLS is there after half of the rounds", async () => {
  const tls: ListenOptions["tls"] = { certificates: [selfSigned("localhost")] };
  let to = answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").target;
  for (let gates = 0; gates < 3; gates += 1) {
    const { port } = proxy(to, { tls, originTls: { rejectUnauthorized: false } });
    to = { ...to, port, tls: true };
  }
  const peer = await client(to.port, "", { rejectUnauthorized: false });
  peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await settled(ROUNDS / 2);
  expect(peer.text).toMatch(/ok$/);
});
