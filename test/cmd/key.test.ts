import { expect, test } from "vitest";
import { failure } from "../../node/operator/calls/api-answers.ts";
import { anteroom } from "./fake-io.ts";
import { TOKEN } from "./fake-node.ts";

const SHOP = "/v1/rooms/shop";

/** A node whose room signs with `generation`, and is changed by somebody else after each read if `isBusy`. */
function startNode({ generation, isBusy }: { generation: number; isBusy: boolean }) {
  const room = { name: "shop", visitor_key_generation: generation };
  let changes = 0;
  const etag = (): string => `"${room.visitor_key_generation}-${changes}"`;
  const keys = () => [0, 1].map((more) => ({ kid: `${room.visitor_key_generation + more}`, key: `key${more}` }));
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      [SHOP]: {
        GET: () => {
          const answer = Response.json({ room }, { headers: { ETag: etag() } });
          if (isBusy) changes += 1;
          return answer;
        },
        PATCH: async (request) => {
          if (request.headers.get("if-match") !== etag()) return failure("changed", "Cannot change this");
          Object.assign(room, await request.json());
          return Response.json({ room });
        },
      },
      [`${SHOP}/visitor-keys`]: { GET: () => Response.json({ visitor_keys: { is_on: true, keys: keys() } }) },
    },
  });
  const rotate = () => anteroom(`key shop --rotate --admin 127.0.0.1:${server.port} --token ${TOKEN}`);
  return { room, rotate, [Symbol.asyncDispose]: () => server.stop(true) };
}

test("a rotation makes the gates sign with the next key", async () => {
  await using node = startNode({ generation: 3, isBusy: false });
  expect(await node.rotate()).toMatchObject({ exit: 0, answer: "key0 key1\n" });
  expect(node.room.visitor_key_generation).toBe(4);
});

test("a rotation that another change came before changes nothing, and says so", async () => {
  await using node = startNode({ generation: 3, isBusy: true });
  const { exit, talk } = await node.rotate();
  expect(exit).toBe(1);
  expect(talk).toContain("Cannot rotate the keys as room shop was changed at this moment: nothing was rotated");
  expect(node.room.visitor_key_generation).toBe(3);
});

test("without a room it is about the fast lane, whose keys alone can have leaked", async () => {
  let generation = 2;
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    routes: {
      "/v1/lane": { GET: () => Response.json({ lane: { generation } }) },
      "/v1/lane/rotate": {
        POST: async (request) => {
          const { leaked } = (await request.json()) as { readonly leaked: boolean };
          generation += leaked ? 2 : 1;
          return Response.json({ generation });
        },
      },
    },
  });
  const key = (words: string) => anteroom(`key ${words} --admin 127.0.0.1:${server.port} --token ${TOKEN}`);
  expect((await key("")).answer).toBe("The gates sign with key 2.\n");
  expect((await key("--rotate --json")).answer).toBe('{"generation":3}\n');
  expect((await key("--leaked")).answer).toBe("The gates sign with key 5.\n");
  expect(await key("shop --leaked")).toMatchObject({ exit: 2, answer: "" });
});
