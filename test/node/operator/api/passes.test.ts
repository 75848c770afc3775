/** Passes are ordered and made line by line, in a stream of any size. */

import { expect, test } from "vitest";
import { PassMaker } from "../../../../node/cookie/pass.ts";
import { JSON_LINES, linesOf, pacedBody } from "../../../../node/operator/calls/json-lines.ts";
import { MESH } from "../../peer/lone-peer.ts";
import { adminWorld } from "../admin-world.ts";

const PASSES = "/v1/rooms/shop/passes";
const HEAD = { "content-type": JSON_LINES };

/** Order after order, and a last line. */
function orders(count: number, last = ""): string {
  return Array.from({ length: count }, (_, at) => `{"key":"order-${at}"}\n`).join("") + last;
}

async function answered(ask: ReturnType<typeof adminWorld>["ask"], lines: string, query = "") {
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

test("a wrong line among the first makes no pass; a later one ends the answer with its problems", async () => {
  const { ask } = adminWorld();
  const early = await ask("POST", PASSES, orders(2, '{"lane":1}\n[]\n'), HEAD);
  expect([early.status, await early.json()]).toMatchObject([
    422,
    { problems: [{ path: "line 3.lane" }, { path: "line 4" }] },
  ]);
  const late = await answered(ask, orders(2_300, `{}\n${"x".repeat(1_000_000)}`));
  expect(late).toHaveLength(2_302);
  expect(late.at(-1)).toMatchObject({ problems: [{ path: "line 2302", problem: "is not JSON, or has a key twice" }] });
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
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(pacedBody(endless())) });
  const answer = await fetch(server.url);
  const reader = answer.body?.getReader();
  await reader?.read();
  for (let turn = 0; turn < 400; turn++) await Bun.sleep(0);
  expect(parts).toBeGreaterThan(0);
  expect(parts).toBeLessThan(100);
  await reader?.cancel();
  await server.stop(true);
});
