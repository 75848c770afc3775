import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FAIR, Relay } from "../../../cmd/chaos/relay.ts";

/** An echo behind a relay, and a socket that speaks to it. */
let server: Server;
let relay: Relay;
let near: Socket;
let heard = "";
let isClosed = false;
const behind = new Set<Socket>();

beforeEach(async () => {
  heard = "";
  isClosed = false;
  server = createServer((socket) => {
    behind.add(socket);
    socket.on("error", () => socket.destroy()).on("data", (bytes) => socket.write(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  relay = await Relay.open(() => 0.5);
  relay.target = (server.address() as AddressInfo).port;
  near = open();
});

afterEach(() => {
  near.destroy();
  relay.close();
  server.close();
  for (const socket of behind) socket.destroy();
  behind.clear();
});

function open(): Socket {
  const socket = connect(relay.port, "127.0.0.1");
  socket.on("data", (bytes) => {
    heard += String(bytes);
  });
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    // Not that of the test before.
    if (socket === near) isClosed = true;
  });
  return socket;
}

/** Counts looks, and not time: a host that stands still makes no test fail. */
async function until(holds: () => boolean): Promise<void> {
  for (let looks = 0; !holds(); looks++) {
    if (looks === 30_000) throw new Error(`Waited in vain until ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/**
 * Waits until words have gone twice to the echo and back, by a relay that holds nothing: what was said before and is
 * not held has arrived by then.
 */
async function silence(): Promise<void> {
  const fair = await Relay.open(() => 0.5);
  fair.target = (server.address() as AddressInfo).port;
  const socket = connect(fair.port, "127.0.0.1");
  let echo = "";
  socket.on("data", (bytes) => {
    echo += String(bytes);
  });
  for (const word of ["once ", "twice"]) {
    socket.write(word);
    await until(() => echo.endsWith(word));
  }
  socket.destroy();
  fair.close();
}

test("holds in a cut what is said and who leaves, and delivers all of it afterwards", async () => {
  near.write("one ");
  await until(() => heard === "one ");
  relay.weather = { ...FAIR, holdsForth: true, holdsBack: true };
  near.write("two ");
  for (const socket of behind) socket.end("bye");
  await silence();
  expect([heard, isClosed]).toEqual(["one ", false]);
  relay.weather = FAIR;
  await until(() => heard.endsWith("bye") && isClosed);
});

test("a cut of one way lets the other way through", async () => {
  near.write("one ");
  await until(() => heard === "one ");
  relay.weather = { ...FAIR, holdsForth: true };
  near.write("two ");
  for (const socket of behind) socket.write("heard");
  await until(() => heard === "one heard");
  relay.weather = FAIR;
  await until(() => heard === "one heardtwo ");
});

test("delays each way, in order", async () => {
  relay.weather = { ...FAIR, delayMs: 60 };
  const startMs = performance.now();
  near.write("a");
  near.write("b");
  await until(() => heard === "ab");
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(115);
});

test("breaks connections while there is loss, and lets nobody through then, nor to a node that is down", async () => {
  near.write("hello");
  await until(() => heard === "hello");
  relay.weather = { ...FAIR, loss: 0.6 };
  await until(() => isClosed);
  relay.weather = FAIR;
  isClosed = false;
  relay.target = undefined;
  near = open();
  await until(() => isClosed);
  relay.target = (server.address() as AddressInfo).port;
  relay.weather = { ...FAIR, loss: 0.6 };
  isClosed = false;
  near = open();
  await until(() => isClosed);
  expect(relay.connections).toBe(0);
});
