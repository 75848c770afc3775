/** Passes are ordered and made line by line, in a stream of any size. */

import { expect, test } from "vitest";
import { PassMaker } from "../../../../node/cookie/pass.ts";
import { JSON_LINES, linesOf, pacedBody } from "../../../../node/operator/calls/json-lines.ts";
import { MESH } from "../../peer/lone-peer.ts";
import { adminWorld } from "../admin-world.ts";

const PASSES = "/v1/rooms/shop/passes";
const HEAD = { "content-type": JSON_LINES };

type World = ReturnType<typeof adminWorld>;

const onFault = (error: unknown) => {
  throw error;
};

/** Order after order, and a last line. */
function orders(count: number, last = ""): string {
  return Array.from({ length: count }, (_, at) => `{"key":"order-${at}"}\n`).join("") + last;
}

async function answered(ask: World["ask"], lines: string, query = "") {
  const answer = await ask("POST", `${PASSES}${query}`, lines, HEAD);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([201, JSON_LINES]);
  return (await answer.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("each line is answered by its pass, numbered on in a wave from the number that the call names", async () => {
  const { ask, world } = adminWorld();
  world.rooms.update("shop", { waves: { spring: { rate: "500/10m", start: "2026-11-27T10:00:00Z" } } });
  const made = await answered(ask, orders(2_500), "?wave=spring&first=1001");
  const maker = new PassMaker(MESH);
  const read = made.map(({ pass }) => maker.read(pass, { room: "shop", generation: 1 }, world.nowMs));
  const wanted = (at: number) => ({ key: `order-${at}`, wave: { name: "spring", number: 1_001 + at } });
  expect(read).toMatchObject(Array.from({ length: 2_500 }, (_, at) => wanted(at)));
});

test("no pass has a number that its wave never reaches", async () => {
  const { ask, world } = adminWorld();
  world.rooms.update("shop", { waves: { spring: { rate: "500/10m", start: "2026-11-27T10:00:00Z" } } });
  expect(await answered(ask, orders(1), "?wave=spring&first=1000000000")).toHaveLength(1);
  const beyond = await ask("POST", `${PASSES}?wave=spring&first=1000000000`, orders(2), HEAD);
  const problems = [{ path: "line 2", value: "1000000001", problem: "is beyond the last number" }];
  expect([beyond.status, await beyond.json()]).toMatchObject([422, { problems }]);
});

test("a wrong line among the first makes no pass; a later one ends the answer with its problems", async () => {
  const { ask } = adminWorld();
  const early = await ask("POST", PASSES, orders(2, '{"lane":1}\n[]\n'), HEAD);
  expect([early.status, await early.json()]).toMatchObject([
    422,
    { problems: [{ path: "line 3.lane" }, { path: "line 4" }] },
  ]);
  const late = await answered(ask, orders(2_300, `{}\n${"x".repeat(1_000_000)}`));
  expect(late).toHaveLength(2_302);
  expect(late.at(-1)).toMatchObject({ problems: [{ path: "line 2302", problem: "is longer than 65536 characters" }] });
});

test("a line that is too long makes no pass, also if what is read of it is whole", async () => {
  const { ask } = adminWorld();
  const answer = await ask("POST", PASSES, `{"key":"a"}${" ".repeat(70_000)}\n{"key":"b"}\n`, HEAD);
  const problems = [{ path: "line 1", problem: "is longer than 65536 characters" }];
  expect([answer.status, await answer.json()]).toMatchObject([422, { problems }]);
});

test("a line tells 20 problems, and counts the others", async () => {
  const { ask } = adminWorld();
  const { problems, more_problems } = (await answered(ask, orders(1_000, "[]\n".repeat(50)))).at(-1);
  expect([problems.length, more_problems]).toEqual([20, 30]);
});

test("lines have their type, with parameters too; no other call takes them", async () => {
  const { ask } = adminWorld();
  const typed = { "content-type": "Application/X-NDJSON; charset=utf-8" };
  expect((await ask("POST", PASSES, "{}\n", typed)).status).toBe(201);
  expect((await ask("POST", PASSES, "{}\n", { "content-type": "text/plain" })).status).toBe(415);
  expect((await ask("PATCH", "/v1/rooms/shop", { total_active_users: 5 }, typed)).status).toBe(415);
});

test.each<[string, (world: World) => unknown]>([
  ["rights of this token", ({ ask }) => ask("DELETE", "/v1/tokens/till")],
  [
    "rights of this token",
    ({ world }) => {
      world.nowMs += 2 * 86_400_000;
    },
  ],
  ["withdrew its passes", ({ world }) => world.rooms.update("shop", { pass_generation: 2 })],
])("a stream ends once passes may not be made any more: %s (%#)", async (text, change) => {
  const admin = adminWorld();
  const token = { name: "till", scopes: ["operate"], expires: "1d" };
  const { secret } = (await (await admin.ask("POST", "/v1/tokens", token)).json()) as { secret: string };
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = (line: string) => writer.write(new TextEncoder().encode(line));
  const headers = { ...HEAD, authorization: `Bearer ${secret}` };
  const asked = admin.app.request(PASSES, { method: "POST", headers, body: readable });
  await send("{}\n");
  const reader = (await asked).body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain('"pass":');
  await change(admin);
  await send("{}\n");
  expect(JSON.parse((await reader?.read())?.value ?? "")).toMatchObject({
    problems: [{ path: "line 2", problem: expect.stringContaining(text) }],
  });
  expect((await reader?.read())?.done).toBe(true);
});

test("lines are those that were sent, wherever their bytes are cut", async () => {
  const bytes = async function* () {
    for (const byte of new TextEncoder().encode('{"a":"é"}\n{}\n1')) yield Uint8Array.of(byte);
  };
  expect((await Array.fromAsync(linesOf(bytes()))).flat()).toEqual(['{"a":"é"}', "{}", "1"]);
});

test("what is made waits for a reader who is slow", async () => {
  let parts = 0;
  const endless = async function* () {
    for (; ; parts++) yield "x".repeat(256 * 1024);
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ signal }) => new Response(pacedBody(endless(), { signal, onFault })),
  });
  const answer = await fetch(server.url);
  const reader = answer.body?.getReader();
  await reader?.read();
  for (let turn = 0; turn < 400; turn++) await Bun.sleep(0);
  expect(parts).toBeGreaterThan(0);
  expect(parts).toBeLessThan(100);
  await reader?.cancel();
  await server.stop(true);
});

test("nothing more is made once its reader has gone", async () => {
  const ended = Promise.withResolvers<void>();
  const faults: unknown[] = [];
  const endless = async function* () {
    try {
      for (;;) yield "x".repeat(256 * 1024);
    } finally {
      ended.resolve();
    }
  };
  const onFault = (error: unknown) => faults.push(error);
  const fetched = ({ signal }: Request) => new Response(pacedBody(endless(), { signal, onFault }));
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: fetched });
  const stop = new AbortController();
  const { body } = await fetch(server.url, { signal: stop.signal });
  await body?.getReader().read();
  stop.abort();
  await ended.promise;
  expect(faults).toEqual([]);
  await server.stop(true);
});

test("an error in the middle cuts the answer, and is reported", async () => {
  const fault = new Error("broken");
  const faults: unknown[] = [];
  const broken = async function* () {
    yield "a";
    throw fault;
  };
  const body = pacedBody(broken(), {
    signal: new AbortController().signal,
    onFault: (error) => faults.push(error),
  });
  await expect(new Response(body).text()).rejects.toThrow("broken");
  expect(faults).toEqual([fault]);
});
