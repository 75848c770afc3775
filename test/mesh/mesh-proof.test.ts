import type { MultiaddrConnection } from "@libp2p/interface";
import { multiaddrConnectionPair } from "@libp2p/utils";
import { describe, expect, test } from "vitest";
import { MeshProofError, meshProtector, noisePrologue, OTHER_KEY, STRANGER } from "../../mesh/mesh-proof.ts";
import { PROCESS_TIMERS } from "../../mesh/timers.ts";

const [KEY, OTHER] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

describe("the proof of the mesh key", () => {
  test("both ends with the same key: what follows passes as it is", async () => {
    const [dialler, listener] = multiaddrConnectionPair();
    const [one, other] = [protect(dialler, KEY), protect(listener, KEY)];
    const [there] = await Promise.all([one.proved, other.proved]);
    const heard = new Promise((resolve) =>
      listener.addEventListener("message", ({ data }) => resolve(data.subarray())),
    );
    there.send(Buffer.from("what follows"));
    expect(Buffer.from((await heard) as Uint8Array).toString()).toBe("what follows");
    expect([one.told, other.told]).toEqual([["connected"], ["connected"]]);
  });

  test("different keys: both ends learn it", async () => {
    const [dialler, listener] = multiaddrConnectionPair();
    const ends = [protect(dialler, KEY), protect(listener, OTHER)];
    for (const { proved } of ends) await expect(proved).rejects.toThrow(MeshProofError);
    for (const { told } of ends) expect(told).toEqual(["connected", OTHER_KEY]);
  });

  test("an end that speaks something else is a stranger", async () => {
    const [dialler, listener] = multiaddrConnectionPair();
    const { proved, told } = protect(listener, KEY);
    dialler.send(Buffer.from("GET / HTTP/1.1\r\nHost: example\r\n\r\n"));
    await expect(proved).rejects.toThrow(MeshProofError);
    expect(told).toEqual(["connected", STRANGER]);
  });

  test("an end that sends back what it hears does not pass", async () => {
    const [mirror, listener] = multiaddrConnectionPair();
    mirror.addEventListener("message", ({ data }) => mirror.send(data));
    const { proved, told } = protect(listener, KEY);
    await expect(proved).rejects.toThrow(MeshProofError);
    expect(told).toEqual(["connected", OTHER_KEY]);
  });

  test("an end that goes away says nothing about its key", async () => {
    const [dialler, listener] = multiaddrConnectionPair();
    const { proved, told } = protect(listener, KEY);
    dialler.abort(new Error("gone"));
    await expect(proved).rejects.toThrow();
    expect(told).toEqual(["connected"]);
  });
});

test("the prologue of the handshake depends on the key", () => {
  expect(noisePrologue(KEY)).toEqual(noisePrologue(KEY));
  expect(noisePrologue(KEY)).not.toEqual(noisePrologue(OTHER));
});

function protect(connection: MultiaddrConnection, key: Uint8Array) {
  const told: string[] = [];
  const failed = (_: unknown, reason: string) => {
    told.push(reason);
    // As the other end would, so that the test need not wait until it had time to.
    setImmediate(() => connection.abort(new Error("was told")));
  };
  const protector = meshProtector(key, { connected: () => told.push("connected"), failed }, PROCESS_TIMERS)();
  return { told, proved: protector.protect(connection) };
}
