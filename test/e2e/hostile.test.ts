import { beforeAll, expect, test } from "vitest";
import { Origin, TestNode } from "./process.ts";
import { exchange, openIdle, statusesIn } from "./raw.ts";

const ROOM = {
  name: "shop",
  host: "*",
  total_active_users: 1_000,
  new_users_per_minute: 1_000,
  json_response_enabled: true,
};
/** Of the gate that meets more of them. */
const CONNECTIONS_MAX = 300;
const END = "\r\n\r\n";

let node: TestNode;
let origin: Origin;

beforeAll(async () => {
  origin = await Origin.start();
  node = await TestNode.start({ origin: origin.url, rooms: [ROOM] });
});

/** One of each kind; `test/node/http/request-head.test.ts` has them all. */
const HOSTILE: readonly (readonly [string, string, number])[] = [
  ["two Hosts", `GET / HTTP/1.1\r\nHost: a\r\nHost: b${END}`, 400],
  ["an absolute target of another host", `GET http://b/ HTTP/1.1\r\nHost: a${END}`, 400],
  ["TRACE", `TRACE / HTTP/1.1\r\nHost: a${END}`, 405],
  ["HTTP/2 without TLS", `PRI * HTTP/2.0${END}SM${END}`, 505],
  ["a TLS hello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400],
];

test.each(HOSTILE)("%s: refused, and the origin sees nothing", async (_, bytes, status) => {
  const seen = origin.requests.length;
  const answer = await exchange(node.gatePort, bytes);
  expect(statusesIn(answer)).toEqual([status]);
  expect(answer).not.toContain("hello");
  expect(origin.requests.length).toBe(seen);
});

test("a request smuggled behind another is never the gate's word to the origin", async () => {
  const smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const head of [
    "Content-Length: 0\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Content-Length: 6\r\nContent-Length: 0",
  ]) {
    const answer = await exchange(node.gatePort, post(head, `0\r\n\r\n${smuggled}`));
    expect(statusesIn(answer)).toHaveLength(1);
  }
  // With an honest length the same bytes are a body, and stay one.
  const answer = await exchange(
    node.gatePort,
    post(`Connection: close\r\nContent-Length: ${smuggled.length}`, smuggled),
  );
  expect(statusesIn(answer)).toEqual([200]);
  expect(origin.requests.filter(({ target }) => target === "/smuggled")).toEqual([]);
});

test("more connections that send nothing, or half a head, than there may be, and new visitors still get in", async () => {
  const flags = ["--max-connections", String(CONNECTIONS_MAX)];
  const small = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags });
  const sockets = [
    ...(await openIdle(small.gatePort, CONNECTIONS_MAX)),
    ...(await openIdle(small.gatePort, CONNECTIONS_MAX, "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")),
  ];
  try {
    for (let visit = 0; visit < 20; visit += 1) {
      expect((await fetch(small.gate, { headers: { connection: "close" } })).status).toBe(200);
    }
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

test("after all of it the process is the same, and has said nothing of failures inside", () => {
  expect(node.process.isRunning).toBe(true);
  expect(node.process.log).not.toMatch(/"level":"error"/);
});

function post(head: string, body: string): string {
  return `POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n${body}`;
}
