import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, expect, test, vi } from "vitest";
import { HttpClient } from "../../../cmd/crowd/http-client.ts";
import { selfSigned } from "../../self-signed.ts";

const servers: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];

afterEach(() => {
  for (const { server, sockets } of servers.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

/** A server that answers each request with what `answer` writes; requests are numbered by connection and in all. */
async function site(
  answer: (
    socket: Socket,
    request: { readonly text: string; readonly at: number; readonly connection: number },
  ) => void,
  tls?: { cert: string; key: string },
) {
  const sockets = new Set<Socket>();
  let [requests, connections] = [0, 0];
  const take = (socket: Socket): void => {
    sockets.add(socket);
    connections += 1;
    const connection = connections;
    socket.on("data", (data) => {
      requests += 1;
      answer(socket, { text: data.toString(), at: requests, connection });
    });
    socket.on("error", () => {});
  };
  const server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  servers.push({ server, sockets });
  const url = `${tls === undefined ? "http" : "https"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, connections: () => connections, requests: () => requests };
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

function clientOf(insecure = false): HttpClient {
  return new HttpClient({ insecure, answerMaxMs: 20_000 });
}

async function got(client: HttpClient, url: string): Promise<string> {
  const outcome = await client.get(`${url}/`, ["X-Test", "1"]);
  return outcome.kind === "answer"
    ? `${outcome.status} ${outcome.body}`
    : outcome.kind === "failure"
      ? outcome.failure
      : "ended";
}

test("a visitor's requests use one connection, in any framing, and a site that closes it gets a new one", async () => {
  const answers = [
    OK,
    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno",
  ];
  const { url, connections } = await site((socket, { at }) => socket.write(answers[at - 1] ?? OK));
  const client = clientOf();
  const seen: string[] = [];
  for (let at = 0; at < 5; at++) seen.push(await got(client, url));
  expect(seen).toEqual(["200 ok", "200 abc", "204 ", "200 no", "200 ok"]);
  expect(connections()).toBe(2);
  client.end();
});

test("a connection that rests for ten seconds is closed, and the next request opens another one", async () => {
  const closed = Promise.withResolvers<void>();
  const { url, connections } = await site((socket) => {
    socket.on("close", () => closed.resolve());
    socket.write(OK);
  });
  const client = clientOf();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await got(client, url);
    vi.advanceTimersByTime(10_000);
  } finally {
    vi.useRealTimers();
  }
  await closed.promise;
  expect(await got(client, url)).toBe("200 ok");
  expect(connections()).toBe(2);
  client.end();
});

test("a request that meets a closing connection is sent again once; a fresh one that breaks is an error", async () => {
  const { url } = await site((socket, { at }) => {
    if (at === 1 || at === 3) socket.write(OK);
    else socket.destroy();
  });
  const client = clientOf();
  expect([await got(client, url), await got(client, url), await got(clientOf(), url)]).toEqual([
    "200 ok",
    "200 ok",
    "reset",
  ]);
  client.end();
});

test.each([
  ["half an answer", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal", "reset"],
  ["no HTTP", "SSH-2.0-OpenSSH_9\r\n\r\n\r\n", "bad answer"],
  [
    "a switch of protocols",
    "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "bad answer",
  ],
])("%s is an error, and its connection is not used again", async (_, bytes, failure) => {
  const { url, connections } = await site((socket, { at }) => (at === 1 ? socket.end(bytes) : socket.write(OK)));
  const client = clientOf();
  expect([await got(client, url), await got(client, url)]).toEqual([failure, "200 ok"]);
  expect(connections()).toBe(2);
  client.end();
});

test("an address where nothing listens refuses, and the end of a run ends what is in flight", async () => {
  const { url } = await site(() => {});
  const [first, second] = [clientOf(), clientOf()];
  const hanging = got(first, url);
  first.end();
  expect(await hanging).toBe("ended");
  expect(await got(first, url)).toBe("ended");
  for (const { server } of servers) server.close();
  expect(await got(second, url)).toMatch(/refused/);
});

test("a certificate that nobody vouches for is refused, unless it is not to be checked", async () => {
  const { url } = await site((socket) => socket.write(OK), selfSigned("127.0.0.1"));
  expect(await got(clientOf(), url)).toBe("refused");
  const trusting = clientOf(true);
  expect(await got(trusting, url)).toBe("200 ok");
  trusting.end();
});

test("a body that is longer than any waiting page is read to its end, and not kept", async () => {
  const long = "x".repeat(300_000);
  const { url, connections } = await site((socket) =>
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n${long}`),
  );
  const client = clientOf();
  for (let at = 0; at < 2; at++) {
    const outcome = await client.get(`${url}/`, []);
    expect(outcome.kind === "answer" && outcome.body.length).toBe(64 * 1024);
  }
  expect(connections()).toBe(1);
  client.end();
});
