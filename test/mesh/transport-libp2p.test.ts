import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { NodeId } from "../../mesh/core/ids.ts";
import { ephemeralNodeKey } from "../../mesh/node-key.ts";
import { WAITING_BYTES_MAX } from "../../mesh/peer-stream.ts";
import { parseAddress } from "../../mesh/seed-addresses.ts";
import { TransportError } from "../../mesh/transport-libp2p.ts";
import { type StartedOverTcp, type TcpWorld, tcpWorld } from "../contract/libp2p-world.ts";
import { bytes, isUp, know, until } from "../contract/transport.ts";
import { openRelay, type Relay } from "./relay.ts";

let world: TcpWorld = tcpWorld();
const relays: Relay[] = [];

afterEach(async () => {
  await world.close();
  for (const relay of relays.splice(0)) relay.close();
  world = tcpWorld();
});

/** An address at which nobody listens: the system gives this port to nobody. */
const NOBODY = "127.0.0.1:1";

/** Diverts dials of that address to a port that is known later. */
function diverted(port: () => number | undefined) {
  return (address: string) => (address === "/ip4/127.0.0.1/tcp/1" ? `/ip4/127.0.0.1/tcp/${port() ?? 1}` : address);
}

describe("joining by an address", () => {
  test("that is down at first: its silence and its answer are reported once", async () => {
    let port: number | undefined;
    const joiner = await world.start({}, { seeds: [NOBODY], override: diverted(() => port) });
    await until(() => joiner.told.seeds.length > 0);
    const seed = await world.start();
    port = portOf(seed);
    await until(() => isUp(joiner, seed) && isUp(seed, joiner));
    expect(joiner.told.seeds).toEqual([
      { address: NOBODY, state: "silent" },
      { address: NOBODY, state: "answers" },
    ]);
    expect(joiner.told.refusals).toEqual([]);
  });

  test("that is our own is harmless", async () => {
    let port: number | undefined;
    const node = await world.start({}, { seeds: [NOBODY], override: diverted(() => port) });
    port = portOf(node);
    const other = await world.start({}, { seeds: [hostAndPort(node)] });
    await until(() => isUp(node, other));
    expect([node.told.seeds, node.told.refusals]).toEqual([[], []]);
  });

  test("the node behind it is found again by it, though no node has sent its address", async () => {
    const seed = await world.start();
    let port = portOf(seed);
    const joiner = await world.start({}, { seeds: [NOBODY], override: diverted(() => port) });
    await until(() => isUp(joiner, seed));
    const again = await seed.restart();
    port = portOf(again);
    await until(() => isUp(joiner, again) && isUp(again, joiner));
    expect(joiner.told.comings.map((coming) => coming.split(" ")[0])).toEqual(["up", "down", "up"]);
  });
});

describe("who is not of the mesh", () => {
  test("a node with another mesh key: both sides report what to do, once", async () => {
    const one = await world.start();
    const other = await world.start({}, { meshKey: new Uint8Array(32).fill(8), seeds: [hostAndPort(one)] });
    await until(() => one.told.refusals.length > 0 && other.told.refusals.length > 0);
    const reason = "has another mesh key: copy mesh.key from a node of the mesh";
    expect(other.told.refusals).toEqual([{ address: hostAndPort(one), reason }]);
    expect(one.told.refusals).toEqual([{ address: "127.0.0.1", reason }]);
    expect([...one.told.comings, ...other.told.comings, ...other.told.seeds]).toEqual([]);
  });

  test("garbage, half words and visitors at the wrong door: one line, and nodes still come in", async () => {
    const one = await world.start();
    const wrong = [
      "GET / HTTP/1.1\r\nHost: example\r\n\r\n",
      `anteroom\n0123456789abcdef${"x".repeat(10_000)}`,
      ...Array.from({ length: 29 }, (_, at) => "\u00ff\u0000garbage".repeat(100 * (at + 1))),
    ];
    const halves = ["", "anteroom\n", "anteroom\n0123456789abcdef"];
    await Promise.all([
      ...wrong.map((words) => knock(portOf(one), words, "stays")),
      ...halves.map((words) => knock(portOf(one), words, "leaves")),
    ]);
    const other = await world.start();
    know(other, one);
    await until(() => isUp(one, other) && isUp(other, one));
    expect(one.told.refusals.map(({ address }) => address)).toEqual(one.told.refusals.map(() => "127.0.0.1"));
    expect(new Set(one.told.refusals.map(({ reason }) => reason))).toEqual(
      new Set(["is not an anteroom node", "has another mesh key: copy mesh.key from a node of the mesh"]),
    );
    expect(one.told.refusals).toHaveLength(2);
  });

  test("an older process with the identity of a connected one is refused, and learns it", async () => {
    const key = await ephemeralNodeKey();
    const one = await world.start();
    const newer = await world.start({ incarnation: 2_000 }, { key });
    know(newer, one);
    await until(() => isUp(one, newer));
    const older = await world.start({ incarnation: 1_000 }, { key, seeds: [hostAndPort(one)] });
    await until(() => older.told.refusals.length > 0 && one.told.refusals.length > 0);
    expect(older.told.refusals[0]?.reason).toMatch(/older process/);
    expect(one.told.comings).toEqual([`up ${key.node}`]);
    expect(isUp(one, newer)).toBe(true);
  });
});

describe("what stands between two nodes", () => {
  /** Two nodes that reach each other only through a relay. */
  async function relayed() {
    const one = await world.start();
    const relay = await openRelay(portOf(one));
    relays.push(relay);
    const override = (address: string) => address.replace(`/${portOf(one)}`, `/${relay.port}`);
    const other = await world.start({}, { override });
    know(other, one);
    await until(() => isUp(one, other) && isUp(other, one));
    return { one, other, relay };
  }

  test("dials go where they are diverted to", async () => {
    const { one, other, relay } = await relayed();
    expect(relay.count()).toBe(1);
    other.transport.send(one.transport.self, "protocol", bytes("by way of the relay"));
    await until(() => one.told.frames.length === 1);
  });

  test("a network that swallows everything is noticed on both sides, and soon after that it has healed", async () => {
    const { one, other, relay } = await relayed();
    relay.isCut = true;
    await until(() => !isUp(one, other) && !isUp(other, one));
    relay.isCut = false;
    await until(() => isUp(one, other) && isUp(other, one));
    for (const { told } of [one, other])
      expect(told.comings.map((each) => each.split(" ")[0])).toEqual(["up", "down", "up"]);
    other.transport.send(one.transport.self, "protocol", bytes("again"));
    await until(() => one.told.frames.length === 1);
  });

  test("to a peer that takes nothing, what may wait is bounded", async () => {
    const { one, other, relay } = await relayed();
    relay.isCut = true;
    const frame = new Uint8Array(100_000);
    // What waits here, what the stream's window lets through at first, and the frame that exceeds them.
    const most = WAITING_BYTES_MAX.sync + 262_144 + frame.length;
    let taken = 0;
    await until(() => {
      while (taken < most && other.transport.send(one.transport.self, "sync", frame)) taken += frame.length;
      return !isUp(other, one);
    });
    expect(taken).toBeLessThan(most);
    expect(other.transport.send(one.transport.self, "protocol", bytes("?"))).toBe(false);
  });
});

test("fourteen nodes behind one address all hear each other", async () => {
  const nodes: StartedOverTcp[] = [];
  for (let at = 0; at < 14; at++) nodes.push(await world.start());
  for (const one of nodes) for (const other of nodes) if (one !== other) know(one, other);
  await until(() => nodes.every(({ transport }) => transport.peers.size === nodes.length - 1));
  const heard = () => nodes.map(({ told }) => new Set(told.publications.map(({ from }) => from)).size);
  await until(() => {
    for (const { transport } of nodes) transport.publish(bytes("hear me"));
    return heard().every((count) => count === nodes.length - 1);
  }, 200);
  for (const { told } of nodes) told.publications.length = 0;
  for (const { transport } of nodes) transport.publish(bytes("and once more"));
  await until(() => heard().every((count) => count === nodes.length - 1));
  expect(nodes.flatMap(({ told }) => told.refusals)).toEqual([]);
});

describe("a transport that cannot start says why", () => {
  test("a port that is in use", async () => {
    const one = await world.start();
    const error = await errorOf(world.start({}, { listen: { host: "127.0.0.1", port: portOf(one) } }));
    expect([error.code, error.hint]).toEqual(["cannot-listen", expect.stringContaining("--mesh")]);
    expect(error.message).toMatch(/^Cannot listen for nodes on 127.0.0.1:\d+: EADDRINUSE: [^\n]*$/);
  });

  test.each([{ seeds: ["nowhere"] }, { advertise: ["10.0.0.5"] }])("an address that is none: %j", async (options) => {
    const error = await errorOf(world.start({}, options));
    expect([error.code, error.message]).toEqual([
      "bad-address",
      expect.stringContaining(Object.values(options)[0]?.[0] ?? ""),
    ]);
  });
});

test("a stopped transport takes no connections, and its port is free", async () => {
  // Nobody else listens at this address, so a port that was let go of stays free.
  const host = "127.0.0.64";
  const one = await world.start({}, { listen: { host, port: 0 } });
  const port = portOf(one);
  await one.transport.stop();
  await one.transport.stop();
  expect(one.transport.send("nobody" as NodeId, "protocol", bytes("?"))).toBe(false);
  one.transport.publish(bytes("?"));
  const again = await world.start({}, { listen: { host, port } });
  expect(portOf(again)).toBe(port);
});

function portOf({ transport }: StartedOverTcp): number {
  return parseAddress(transport.addresses[0] ?? "")?.port ?? 0;
}

function hostAndPort(node: StartedOverTcp): string {
  return `127.0.0.1:${portOf(node)}`;
}

/** Says something to a port, and stays until the other side hangs up, or leaves once that has spoken. */
function knock(port: number, words: string, then: "stays" | "leaves"): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(words, "latin1"));
    socket.on("data", () => then === "leaves" && socket.end());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => resolve());
  });
}

async function errorOf(starting: Promise<unknown>): Promise<TransportError> {
  try {
    await starting;
  } catch (error) {
    if (error instanceof TransportError) return error;
    throw error;
  }
  throw new Error("there was no error");
}
