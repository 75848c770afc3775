/**
 * What a transport keeps, whatever carries the frames. `transport-libp2p.test.ts` runs it over TCP.
 */

import { afterEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import type { Hello } from "../../mesh/core/wire/hello.ts";
import { WIRE_VERSION } from "../../mesh/core/wire/wire-range.ts";
import { FRAME_BYTES_MAX, type Purpose, type Transport, type TransportEvents } from "../../mesh/transport.ts";

/** What a node was told, in order. */
export class Told implements TransportEvents {
  readonly comings: string[] = [];
  readonly hellos = new Map<NodeId, Hello>();
  readonly frames: { readonly from: NodeId; readonly purpose: Purpose; readonly frame: Uint8Array }[] = [];
  readonly publications: { readonly from: NodeId; readonly text: string }[] = [];
  readonly refusals: { readonly address: string; readonly reason: string }[] = [];

  readonly up = (peer: NodeId, hello: Hello) => {
    this.comings.push(`up ${peer}`);
    this.hellos.set(peer, hello);
  };
  readonly down = (peer: NodeId) => {
    this.comings.push(`down ${peer}`);
  };
  readonly frame = (from: NodeId, purpose: Purpose, frame: Uint8Array) => {
    this.frames.push({ from, purpose, frame: frame.slice() });
  };
  readonly published = (from: NodeId, frame: Uint8Array) => {
    this.publications.push({ from, text: text(frame) });
  };
  readonly refused = (address: string, reason: string) => {
    this.refusals.push({ address, reason });
  };
}

export interface Started {
  readonly transport: Transport;
  readonly told: Told;
  /** Stops it and starts it again with the same key, as a later process. */
  restart(): Promise<Started>;
}

export interface World {
  start(hello?: Partial<Hello>): Promise<Started>;
  /** Lets so much of the nodes' time pass. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

export const HELLO: Omit<Hello, "node"> = {
  wire: WIRE_VERSION,
  understands: [WIRE_VERSION, WIRE_VERSION],
  mesh: "0123456789abcdef",
  minuteMs: 60_000,
  leaseMs: 30_000,
  incarnation: 1_000,
  locality: "here",
  version: "1.2.3",
  addresses: [],
};

/** Twice the time within which a peer that is wanted is dialled again, and what it takes to connect. */
const REDIALLED_MS = 6_000;

const PURPOSES: readonly Purpose[] = ["protocol", "sync"];

export function transportContract(name: string, open: () => World): void {
  let world: World | undefined;
  const start = (hello?: Partial<Hello>) => {
    world ??= open();
    return world.start(hello);
  };
  const pair = async (): Promise<readonly [Started, Started]> => {
    const [one, other] = [await start(), await start()];
    know(one, other);
    await until(() => isUp(one, other) && isUp(other, one));
    return [one, other];
  };

  afterEach(async () => {
    await world?.close();
    world = undefined;
  });

  describe(`${name}: who is there`, () => {
    test("both sides report each other once, with what the other says of itself", async () => {
      const one = await start({ locality: "west", incarnation: 7 });
      const other = await start();
      know(one, other);
      await until(() => isUp(one, other) && isUp(other, one));
      expect(other.told.comings).toEqual([`up ${one.transport.self}`]);
      expect(one.told.comings).toEqual([`up ${other.transport.self}`]);
      expect(other.told.hellos.get(one.transport.self)).toMatchObject({
        node: one.transport.self,
        locality: "west",
        incarnation: 7,
        addresses: one.transport.addresses,
      });
    });

    test("two that dial each other at once come up once each, and can speak", async () => {
      const [one, other] = [await start(), await start()];
      know(one, other);
      know(other, one);
      await until(() => isUp(one, other) && isUp(other, one));
      await until(() => {
        one.transport.send(other.transport.self, "protocol", bytes("there"));
        other.transport.send(one.transport.self, "protocol", bytes("back"));
        return one.told.frames.length > 0 && other.told.frames.length > 0;
      });
      expect([one.told.comings.length, other.told.comings.length]).toEqual([1, 1]);
    });

    test("a peer that stops is down, and up again when it is back with the same key", async () => {
      const [one, other] = await pair();
      const again = await other.restart();
      know(again, one);
      await until(() => one.told.comings.length === 3 && isUp(again, one));
      const peer = other.transport.self;
      expect(again.transport.self).toBe(peer);
      expect(one.told.comings).toEqual([`up ${peer}`, `down ${peer}`, `up ${peer}`]);
      expect(one.told.hellos.get(peer)?.incarnation).toBe(HELLO.incarnation + 1);
      one.transport.send(peer, "protocol", bytes("welcome back"));
      await until(() => again.told.frames.length > 0);
    });

    test("a forgotten peer is down on both sides and is not dialled any more", async () => {
      const [one, other] = await pair();
      one.transport.forget(other.transport.self);
      await until(() => !isUp(one, other) && !isUp(other, one));
      const third = await start();
      know(one, third);
      await until(() => isUp(one, third));
      await world?.pass(REDIALLED_MS);
      expect(isUp(one, other)).toBe(false);
      expect(one.transport.send(other.transport.self, "protocol", bytes("?"))).toBe(false);
    });

    test("nothing is reported after stop, and the other side reports it as down", async () => {
      const [one, other] = await pair();
      await one.transport.stop();
      await until(() => !isUp(other, one));
      expect(one.told.comings).toEqual([`up ${other.transport.self}`]);
      expect(other.told.comings).toEqual([`up ${one.transport.self}`, `down ${one.transport.self}`]);
      expect(other.transport.send(one.transport.self, "protocol", bytes("?"))).toBe(false);
    });
  });

  describe(`${name}: frames`, () => {
    test.each(PURPOSES)("%s: come whole and in order, small, empty and of the largest size", async (purpose) => {
      const [one, other] = await pair();
      const sent = [200, 0, FRAME_BYTES_MAX, 1, 65_536, 5_000].map((size, at) => new Uint8Array(size).fill(at + 1));
      for (const frame of sent) {
        const before = other.told.frames.length;
        expect(one.transport.send(other.transport.self, purpose, frame)).toBe(true);
        await until(() => other.told.frames.length > before);
      }
      expect(other.told.frames.map(({ from, purpose: on, frame }) => [from, on, frame.length, frame.at(-1)])).toEqual(
        sent.map((frame) => [one.transport.self, purpose, frame.length, frame.at(-1)]),
      );
    });

    test("10,000 small ones, sent without waiting, come all and in order, both ways at once", async () => {
      const [one, other] = await pair();
      for (let at = 0; at < 10_000; at++) {
        expect(one.transport.send(other.transport.self, "protocol", bytes(`frame ${at} of one`))).toBe(true);
        expect(other.transport.send(one.transport.self, "protocol", bytes(`frame ${at} of other`))).toBe(true);
      }
      await until(() => one.told.frames.length === 10_000 && other.told.frames.length === 10_000);
      expect(other.told.frames.every(({ frame }, at) => text(frame) === `frame ${at} of one`)).toBe(true);
      expect(one.told.frames.every(({ frame }, at) => text(frame) === `frame ${at} of other`)).toBe(true);
    });

    test("each purpose has an order of its own", async () => {
      const [one, other] = await pair();
      for (let at = 0; at < 100; at++)
        for (const purpose of PURPOSES) one.transport.send(other.transport.self, purpose, bytes(`${at}`));
      await until(() => other.told.frames.length === 200);
      for (const purpose of PURPOSES) {
        const came = other.told.frames.filter((each) => each.purpose === purpose).map(({ frame }) => text(frame));
        expect(came).toEqual(Array.from({ length: 100 }, (_, at) => `${at}`));
      }
    });

    test("what is too large, or more than may wait, is refused at once; what was taken arrives", async () => {
      const [one, other] = await pair();
      const { self } = other.transport;
      expect(one.transport.send(self, "sync", new Uint8Array(FRAME_BYTES_MAX + 1))).toBe(false);
      const taken = Array.from({ length: 50 }, () => one.transport.send(self, "sync", new Uint8Array(FRAME_BYTES_MAX)));
      expect(taken.filter((isTaken) => isTaken).length).toBeLessThan(15);
      expect(one.transport.send(self, "protocol", bytes("urgent"))).toBe(true);
      const count = taken.filter((isTaken) => isTaken).length + 1;
      await until(() => other.told.frames.length === count);
      await until(() => one.transport.send(self, "sync", bytes("there is room again")));
      await until(() => other.told.frames.length === count + 1);
    });
  });

  describe(`${name}: frames for everybody`, () => {
    test("reach all of five nodes that stand in a row, with their author, and not the author", async () => {
      const row = await Promise.all(Array.from({ length: 5 }, () => start()));
      for (const [at, node] of row.entries()) for (const next of row.slice(at + 1, at + 2)) know(node, next);
      await until(() => row.slice(1).every((node, at) => isUp(node, row[at] as Started)));
      // A node that is up may not have said yet that it listens to what is published.
      let round = 0;
      await until(() => {
        for (const node of row) node.transport.publish(bytes(`round ${round} of ${node.transport.self}`));
        round += 1;
        return row.every(({ told }) => new Set(told.publications.map(({ from }) => from)).size === row.length - 1);
      }, 50);
      for (const { told, transport } of row) {
        expect(told.publications.map(({ from }) => from)).not.toContain(transport.self);
        expect(told.publications.filter((each) => !each.text.endsWith(` of ${each.from}`))).toEqual([]);
        const texts = told.publications.map((each) => each.text);
        expect(new Set(texts).size).toBe(texts.length);
      }
    });
  });

  describe(`${name}: who is refused`, () => {
    test.each<[string, Partial<Hello>]>([
      ["of another mesh", { mesh: "fedcba9876543210" }],
      ["with minutes of another length", { minuteMs: 2_000 }],
      ["of another wire version", { wire: WIRE_VERSION + 1, understands: [WIRE_VERSION + 1, WIRE_VERSION + 1] }],
    ])("a node %s: both sides say so once, in their own words, and nobody is up", async (_, hello) => {
      const [one, other] = [await start(), await start(hello)];
      know(one, other);
      know(other, one);
      await until(() => one.told.refusals.length > 0 && other.told.refusals.length > 0);
      const reasons = [one, other].map(({ told }) => told.refusals.map(({ reason }) => reason));
      expect(reasons.map((each) => new Set(each).size)).toEqual([1, 1]);
      expect(reasons.flat().filter((reason) => reason.includes("it refuses us"))).toEqual([]);
      const [value] = Object.values(hello);
      expect(reasons[0]?.[0]).toMatch(new RegExp(`^(mesh|wire version|minutes of) ${value} .*ours`));
      expect(reasons[1]?.[0]).toMatch(new RegExp(`ours,? (of )?${value}`));
      expect([...one.told.comings, ...other.told.comings]).toEqual([]);
    });

    test("a punished peer is disconnected, learns why, and does not come back for a while", async () => {
      const [one, other] = await pair();
      know(other, one);
      one.transport.punish(other.transport.self);
      await until(() => !isUp(one, other) && !isUp(other, one) && other.told.refusals.length > 0);
      expect(other.told.refusals[0]?.reason).toMatch(/^it refuses us: .* sent invalid data/);
      const third = await start();
      know(other, third);
      know(one, third);
      await until(() => isUp(other, third) && isUp(one, third));
      await world?.pass(REDIALLED_MS);
      expect(isUp(one, other)).toBe(false);
    });
  });
}

/**
 * Waits until `condition` holds; asks every `everyMs`. Gives up after so many questions, and not after a time: a busy
 * host has fewer of them in a second.
 */
export async function until(condition: () => boolean, everyMs = 5): Promise<void> {
  for (let looks = 0; !condition(); looks++) {
    if (looks > LOOKS_MAX) throw new Error(`Waited in vain until ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Most waits end within 500. */
const LOOKS_MAX = 10_000;

export function know(one: Started, other: Started): void {
  one.transport.know(other.transport.self, other.transport.addresses);
}

export function isUp(one: Started, other: Started): boolean {
  return one.transport.peers.has(other.transport.self);
}

export function bytes(words: string): Uint8Array {
  return new TextEncoder().encode(words);
}

export function text(frame: Uint8Array): string {
  return new TextDecoder().decode(frame);
}
