/** A real WebSocket through the binary ends with its session. */

import { expect, test } from "vitest";
import { endLater, TestNode, until } from "./process.ts";
import { Visitor } from "./visitor.ts";

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
  endLater(() => server.stop(true));
  return server.url.href;
}

interface Closed {
  readonly code: number;
  readonly reason: string;
}

/** Opens a WebSocket and uses it; how it ends after that. Undefined if the session was over before. */
async function socket(gate: string, cookie: string): Promise<Closed | undefined> {
  const opened = new WebSocket(gate.replace("http", "ws"), { headers: { Cookie: cookie } });
  endLater(() => opened.close());
  let heard: unknown;
  opened.addEventListener("open", () => opened.send("hello"));
  opened.addEventListener("message", ({ data }) => {
    heard = data;
  });
  const closed = await new Promise<Closed>((resolve) =>
    opened.addEventListener("close", ({ code, reason }) => resolve({ code, reason })),
  );
  if (heard === undefined) return undefined;
  expect(heard).toBe("hello");
  return closed;
}

test("a silent WebSocket is closed with its session", async () => {
  const node = await TestNode.start({ origin: echo(), rooms: [ROOM], minuteMs: MINUTE_MS });
  const visitor = new Visitor(node.gate, "first");
  let closed: Closed | undefined;
  await until(async () => {
    if ((await visitor.get("/", { accept: "text/html" })).text === "origin")
      closed = await socket(node.gate, visitor.cookie);
    return closed !== undefined;
  });
  expect(closed).toEqual({ code: 1001, reason: "session over" });
});
