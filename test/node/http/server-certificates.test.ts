/** Several certificates on one socket, changed while it listens, and clients that must show one. */

import { type ConnectionOptions, connect } from "node:tls";
import { describe, expect, test } from "vitest";
import { selfSigned } from "../../self-signed.ts";
import { gate } from "./wire.ts";

const one = selfSigned("one.example");
const two = selfSigned("two.example");
const wild = selfSigned("*.wild.example");
const renewed = selfSigned("one.example");

/** The name and number of the certificate that a client which asks for `servername` gets; the failure otherwise. */
function shown(port: number, servername: string, options: ConnectionOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    const stream = connect({ host: "127.0.0.1", port, servername, rejectUnauthorized: false, ...options });
    stream.once("error", () => resolve("refused"));
    stream.once("close", () => resolve("refused"));
    stream.once("secureConnect", () => {
      const { subject, serialNumber } = stream.getPeerCertificate();
      stream.once("data", () => resolve(`${subject.CN} ${serialNumber}`));
      stream.write("GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
    });
  });
}

async function nameShown(port: number, servername: string, options?: ConnectionOptions): Promise<string> {
  return (await shown(port, servername, options)).replace(/ .*/, "");
}

describe("a socket with several certificates", () => {
  test("shows the one for the name that is asked for, and the first otherwise", async () => {
    const { port } = gate(undefined, { tls: { certificates: [one, two, wild] } });
    const asked = ["one.example", "two.example", "TWO.example", "a.wild.example", "a.b.wild.example", "x.example", ""];
    const names = [];
    for (const name of asked) names.push(await nameShown(port, name));
    expect(names).toEqual([
      ...["one.example", "two.example", "two.example", "*.wild.example"],
      ...["one.example", "one.example", "one.example"],
    ]);
  });

  test("shows others from the moment on in which they are replaced, also to clients without a name", async () => {
    const { port, listener } = gate(undefined, { tls: { certificates: [one, two] } });
    const before = await shown(port, "one.example");
    listener.replaceTls({ certificates: [renewed, wild] }, undefined);
    const after = await shown(port, "one.example");
    expect([after === before, await shown(port, ""), await nameShown(port, "b.wild.example")]).toEqual([
      ...[false, after, "*.wild.example"],
    ]);
    // Its certificate has gone.
    expect(await shown(port, "two.example")).toBe(after);
  });

  test("keeps all of them when one of the new ones cannot be used", async () => {
    const { port, listener } = gate(undefined, { tls: { certificates: [one, two] } });
    const before = [await shown(port, "one.example"), await shown(port, "two.example")];
    expect(() => listener.replaceTls({ certificates: [renewed, { cert: two.cert, key: "x" }] }, undefined)).toThrow();
    expect(() => listener.replaceTls({ certificates: [{ cert: "x", key: one.key }] }, undefined)).toThrow();
    expect([await shown(port, "one.example"), await shown(port, "two.example")]).toEqual(before);
  });

  test("refuses clients without a certificate that the given ones have signed", async () => {
    const { port, listener, exchanges } = gate(undefined, { tls: { certificates: [one, two], clientCa: two.cert } });
    const of = (pair: typeof one) => ({ cert: pair.cert, key: pair.key });
    for (const name of ["one.example", "two.example"]) {
      expect([await nameShown(port, name), await nameShown(port, name, of(one))]).toEqual(["refused", "refused"]);
      expect(await nameShown(port, name, of(two))).toBe(name);
    }
    expect(exchanges).toHaveLength(2);
    listener.replaceTls({ certificates: [one, two], clientCa: one.cert }, undefined);
    for (const name of ["one.example", "two.example"]) {
      expect([await nameShown(port, name, of(two)), await nameShown(port, name, of(one))]).toEqual(["refused", name]);
    }
  });
});
