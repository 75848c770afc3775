import { connect } from "node:net";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { withKnownHost } from "../../../../node/operator/access/host-check.ts";

const SETTINGS = { admin: { host: "10.1.2.3", port: 8081 }, adminHosts: ["gate1.internal"] };
const answered = withKnownHost(SETTINGS, async (request) =>
  Response.json([request.method, request.url, await request.text()]),
);
const asked = async (host: string) => (await answered(new Request("http://127.0.0.1/", { headers: { host } }))).status;

test.each([
  "127.0.0.1:8081",
  "10.1.2.3",
  "[::1]:8081",
  "[::1]",
  "localhost:8081",
  "LOCALHOST",
  "node.localhost:1",
  "gate1.internal:8081",
  "Gate1.Internal.",
  hostname(),
])("answers to %s", async (host) => expect(await asked(host)).toBe(200));

test.each([
  "evil.example:8081",
  "evil.example",
  "127.0.0.1.evil.example",
  "localhost.evil.example",
  "[evil]:1",
  "[::1].evil.example",
  "[::1]evil.example:8081",
  "[::1",
  "127.0.0.1:evil.example",
  "",
])("does not answer to %j", async (host) => expect(await asked(host)).toBe(421));

test("says why it does not", async () => {
  const answer = await answered(new Request("http://127.0.0.1/v1/rooms", { headers: { host: "evil.example" } }));
  expect([answer.status, await answer.json()]).toMatchObject([421, { status: 421, code: "misdirected" }]);
});

/** What comes back from the admin listener for bytes as they are. */
async function sent(text: string): Promise<string> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answered });
  const done = Promise.withResolvers<string>();
  let got = "";
  const socket = connect(server.port ?? 0, "127.0.0.1", () => socket.write(text));
  socket.on("data", (data) => {
    got += data;
    if (/\r\n\r\n(\[|\{)/.test(got) || got.includes(" 400 ")) done.resolve(got);
  });
  const answer = await done.promise;
  socket.destroy();
  await server.stop(true);
  return answer;
}

test("answers a health check by HTTP/1.0 without Host, which no browser can send", async () => {
  const answer = await sent("POST /readyz?a=1 HTTP/1.0\r\nContent-Length: 2\r\n\r\nok");
  expect(answer).toContain("200 OK");
  expect(answer).toContain(JSON.stringify(["POST", "http://localhost/readyz?a=1", "ok"]));
});

test.each([
  ["GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n", "421"],
  ["GET / HTTP/1.0\r\nHost:\r\n\r\n", "421"],
  ["GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n", "421"],
  ["GET / HTTP/1.1\r\n\r\n", "400"],
])("does not answer to %j", async (text, status) => expect(await sent(text)).toContain(`HTTP/1.1 ${status} `));
