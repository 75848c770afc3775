/** A real WebSocket through the binary ends with its session. */

import { afterEach, expect, onTestFinished, test } from "vitest";
import { endAll, TestNode } from "./process.ts";
import { Visitor } from "./visitor.ts";

afterEach(endAll);

const ROOM = { name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 100, session_duration: 1 };
/** So that the minutes pass while the test waits. */
const MINUTE_MS = 2_000;

/** An origin whose WebSockets say what they hear. */
function echo(): string {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response("origin")),
    websocket: { message: (socket, text) => void socket.send(text) },
  });
  onTestFinished(() => server.stop(true));
  return server.url.href;
}

interface Closed {
  readonly code: number;
  readonly reason: string;
}

/** Opens a WebSocket and uses it once; the promise in the answer is how it ends. */
async function socket(gate: string, cookie: string): Promise<() => Promise<Closed>> {
  const opened = new WebSocket(gate.replace("http", "ws"), { headers: { Cookie: cookie } });
  onTestFinished(() => opened.close());
  const closed = new Promise<Closed>((resolve) =>
    opened.addEventListener("close", ({ code, reason }) => resolve({ code, reason })),
  );
  await new Promise((resolve) => opened.addEventListener("open", resolve));
  const heard = new Promise((resolve) => opened.addEventListener("message", ({ data }) => resolve(data)));
  opened.send("hello");
  expect(await heard).toBe("hello");
  return () => closed;
}

test("a silent WebSocket is closed with its session", async () => {
  const node = await TestNode.start({ origin: echo(), rooms: [ROOM], minuteMs: MINUTE_MS });
  const visitor = new Visitor(node.gate, "first");
  expect((await visitor.get("/", { accept: "text/html" })).text).toBe("origin");
  const closed = await socket(node.gate, visitor.cookie);
  expect(await closed()).toEqual({ code: 1001, reason: "session over" });
});
