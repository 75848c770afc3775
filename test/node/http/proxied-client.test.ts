/** Clients behind a TCP balancer that sends PROXY headers. */

import { type AddressInfo, connect as connectTcp, createServer } from "node:net";
import { connect } from "node:tls";
import { describe, expect, test } from "vitest";
import { clientOf, parseCidr } from "../../../node/http/client.ts";
import { DEFAULT_HTTP_LIMITS } from "../../../node/http/limits.ts";
import { selfSigned } from "../../self-signed.ts";
import { ask, client, later } from "./peer.ts";
import { settled } from "./settled.ts";
import { bodyOf, eventually, gate, LAST, statusOf } from "./wire.ts";

const HEADER = "PROXY TCP4 192.0.2.7 192.0.2.1 8080 80\r\n";
const { headMs, sweepMs } = DEFAULT_HTTP_LIMITS;
const balancers = [parseCidr("127.0.0.0/8")];

/** A gate that answers with the client's address. */
function addressGate(options: Parameters<typeof gate>[1] = {}) {
  return gate((exchange) => exchange.answer(200, [], exchange.remoteAddress), { balancers, ...options });
}

describe("a client behind a balancer", () => {
  test("has the address of the header, in one piece with the request or byte by byte", async () => {
    const { port } = addressGate();
    expect(bodyOf(await ask(port, HEADER + LAST))).toBe("192.0.2.7");
    const slow = await client(port);
    for (const byte of HEADER + LAST) {
      slow.send(byte);
      await settled(1);
    }
    expect(bodyOf(await slow.done())).toBe("192.0.2.7");
  });

  test("is nobody's trusted proxy where the header has no address", async () => {
    const trusted = [parseCidr("127.0.0.1")];
    const { port } = gate((exchange) => exchange.answer(200, [], JSON.stringify(clientOf(exchange, trusted))), {
      balancers: trusted,
    });
    const forged = LAST.replace("\r\n\r\n", "\r\nX-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\n\r\n");
    const unspecified = "\r\n\r\n\0\r\nQUIT\n\x21\0\0\0";
    const local = "\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";
    for (const header of ["PROXY UNKNOWN\r\n", unspecified, local])
      expect(JSON.parse(bodyOf(await ask(port, header + forged)))).toEqual({
        ...{ address: "unknown", secure: false, proxied: false },
      });
  });

  test("is refused without a header, late with it, or from an address that is no balancer's", async () => {
    const { port, exchanges, refusals } = addressGate();
    expect(await ask(port, LAST)).toBe("");
    const strict = addressGate();
    const late = await client(strict.port, "PROXY ");
    await strict.pass(headMs);
    expect(late.closed || late.ended).toBe(false);
    await strict.pass(sweepMs);
    expect(await late.done()).toBe("");
    const elsewhere = addressGate({ balancers: [parseCidr("192.0.2.0/24")] });
    expect(await ask(elsewhere.port, HEADER + LAST)).toBe("");
    expect([exchanges, refusals, strict.refusals, elsewhere.refusals]).toEqual([[], [400], [400], [400]]);
  });

  test.each([
    ["", {}],
    [HEADER, { tls: { certificates: [selfSigned("one.example")] } }],
  ] as const)("counts before it has said who it is (%j), and then locks out no other client", async (sent, tls) => {
    const { port, listener, exchanges } = addressGate({ ...tls, limits: { connectionsMax: 2 } });
    await client(port, sent);
    await client(port, sent);
    await eventually(() => listener.connections === 2);
    const third = await client(port, HEADER);
    await settled();
    expect(listener.connections).toBe(2);
    if (sent === "") {
      third.send(LAST);
      await eventually(() => exchanges.length === 1);
      expect(bodyOf(await third.done())).toBe("192.0.2.7");
    }
    listener.stop();
    await eventually(() => listener.connections === 0);
  });

  test.each(["together", "apart"])("speaks TLS after the header (%s with its first bytes)", async (how) => {
    const [one, two] = [selfSigned("one.example"), selfSigned("two.example")];
    const { port } = addressGate({ tls: { certificates: [one, two] } });
    for (const [servername, name] of [
      ["two.example", "two.example"],
      ["one.example", "one.example"],
      ["other.example", "one.example"],
    ]) {
      const { answer, subject } = await overTls(port, servername ?? "", how === "together");
      expect([statusOf(answer), bodyOf(answer), subject]).toEqual([200, "192.0.2.7", name]);
    }
  });
});

/** Asks for `/last` over TLS, by way of a balancer that sends a PROXY header. */
async function overTls(port: number, servername: string, isTogether: boolean) {
  const balancer = createServer((client) => {
    const raw = connectTcp(port, "127.0.0.1");
    if (!isTogether) raw.write(HEADER);
    client.once("data", (bytes: Buffer) => {
      raw.write(isTogether ? Buffer.concat([Buffer.from(HEADER), bytes]) : bytes);
      client.pipe(raw).pipe(client);
    });
    client.on("error", () => raw.destroy());
  });
  later(() => balancer.close());
  await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
  const { port: balancerPort } = balancer.address() as AddressInfo;
  const stream = connect({ host: "127.0.0.1", port: balancerPort, servername, rejectUnauthorized: false });
  const pieces: Buffer[] = [];
  stream.on("data", (bytes: Buffer) => pieces.push(bytes));
  await new Promise<void>((resolve) => stream.once("secureConnect", resolve));
  const subject = stream.getPeerCertificate().subject.CN;
  stream.write(LAST);
  await new Promise<void>((resolve) => stream.once("end", resolve));
  return { answer: Buffer.concat(pieces).toString("latin1"), subject };
}
