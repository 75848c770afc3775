import { expect, test } from "vitest";
import type { Exchange } from "../../../../node/http/message.ts";
import { type AccessLine, accessFields, combinedLine } from "../../../../node/operator/logs/access-log.ts";
import { FakeExchange } from "../../gate/fake-exchange.ts";
import { GateWorld } from "../../gate/gate-world.ts";

const END = { status: 200, bytesSent: 512, bytesReceived: 0, abortedBy: undefined };

function lineOf(exchange: Exchange, more: Partial<AccessLine> = {}): AccessLine {
  return {
    ...{ exchange, end: END, client: "198.51.100.7", scheme: "https", target: "/cart?x=1" },
    ...{ durationMs: 12.3456, nowMs: Date.UTC(2026, 10, 22, 9, 5, 7), node: "gate1", ...more },
  };
}

test("a line has duration, room, outcome, the origin's time, scheme and user agent", () => {
  const exchange = new FakeExchange({ headers: { "User-Agent": "Probe/1", Referer: "https://a.example/p?secret=1" } });
  exchange.trail = { startedMs: 0, room: "shop", outcome: "inside", originMs: 8.5 };
  expect(accessFields(lineOf(exchange))).toMatchObject({
    client: "198.51.100.7",
    scheme: "https",
    target: "/cart?x=1",
    room: "shop",
    outcome: "inside",
    duration_seconds: 0.012346,
    origin_seconds: 0.0085,
    user_agent: "Probe/1",
    referer: "https://a.example/p",
  });
});

test("the combined format is what tools for logs read, with our own fields after it", () => {
  const exchange = new FakeExchange({ headers: { "User-Agent": 'Evil" \\ \u001b[2J "x' } });
  exchange.trail = { startedMs: 0, room: "shop", outcome: "inside" };
  const line = combinedLine(lineOf(exchange));
  const combined =
    /^(\S+) - - \[([^\]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}) (\d+) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)" (.*)\n$/.exec(
      line,
    );
  expect(combined?.slice(1, 6)).toEqual([
    "198.51.100.7",
    "22/Nov/2026:09:05:07 +0000",
    "GET /cart?x=1 HTTP/1.1",
    "200",
    "512",
  ]);
  expect(combined?.[7]).toBe('Evil\\" \\\\ \\x1b[2J \\"x');
  expect(combined?.[8]).toBe(`${exchange.id} shop inside 0.012346 - https "shop.example" gate1`);
});

test("a request through the gate leaves its room and outcome; one without a room says so", async () => {
  const world = new GateWorld({ accessLog: true });
  const inside = await world.exchange();
  expect(inside.trail).toMatchObject({ room: "shop", outcome: "admitted" });
  const lost = await world.exchange({ host: "nowhere.example" });
  expect(lost.trail).toMatchObject({ outcome: "unmatched" });
  expect(lost.trail?.room).toBeUndefined();
  expect((await new GateWorld().exchange()).trail).toBeUndefined();
});
