import { expect, test } from "vitest";
import { Origin, TestNode } from "./process.ts";
import { exchange } from "./raw.ts";
import { Visitor } from "./visitor.ts";

const ROOM = { name: "shop", host: "*", total_active_users: 1, new_users_per_minute: 100, session_duration: 30 };

test("the origin gets what the visitor sent, and nothing of the gate's but what proves the way", async () => {
  const origin = await Origin.start();
  const flags = ["--origin-secret", "between-us", "--trusted-proxies", "127.0.0.0/8"];
  const node = await TestNode.start({ origin: origin.url, rooms: [ROOM], flags });
  const visitor = new Visitor(node.gate, "one");
  expect(await visitor.get("/", { accept: "text/html" })).toMatchObject({ status: 200, text: "hello" });
  const target = "/a%2Fb/../%7Ec?x=%20&y=+&z";
  const answer = await exchange(
    node.gatePort,
    `POST ${target} HTTP/1.1\r\nHost: Shop.Example:81\r\nCookie: a=1; ${visitor.cookie}\r\nX-Forwarded-For: 198.51.100.1\r\nX-Forwarded-Proto: https\r\nAnteroom-Origin-Secret: guess\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  const [, request] = origin.requests;
  expect(request).toMatchObject({ method: "POST", target });
  expect(request?.headers).toMatchObject({
    host: "Shop.Example:81",
    cookie: "a=1",
    "content-length": "2",
    "anteroom-origin-secret": "between-us",
    "x-forwarded-for": "198.51.100.1, 127.0.0.1",
    "x-forwarded-proto": "https",
  });
  expect(request?.headers).not.toHaveProperty("user-agent");
});
