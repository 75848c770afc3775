import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PassMaker } from "../../node/cookie/pass.ts";
import { adminApi } from "../../node/operator/admin-api.ts";
import type { NodeStatus } from "../../node/operator/status/status.ts";
import { GateWorld } from "../node/gate/gate-world.ts";
import { MESH } from "../node/peer/lone-peer.ts";
import { dashboardParts } from "./dashboard-parts.ts";
import { anteroom, type FakeOptions } from "./fake-io.ts";
import { LANE, VISITOR_KEYS } from "./lane-parts.ts";
import { tokenParts } from "./token-parts.ts";

const TOKEN = "a-token-for-tests";
const maker = new PassMaker(MESH);
const SCOPE = { room: "shop", generation: 1 };

let node: ReturnType<typeof Bun.serve>;
let world: GateWorld;
let calls: number;

beforeEach(() => {
  world = new GateWorld();
  calls = 0;
  const never = (): never => {
    throw new Error("Not in this test");
  };
  const app = adminApi({
    dashboard: dashboardParts(TOKEN),
    ...tokenParts(),
    rooms: world.rooms,
    passes: maker,
    lane: LANE,
    visitorKeys: VISITOR_KEYS,
    token: TOKEN,
    status: () => ({ now_ms: Date.now() }) as unknown as NodeStatus,
    metrics: async () => "",
    nodeNames: () => ({}),
    notReady: () => undefined,
    onFault: () => undefined,
    mesh: { leave: never, former: never, forget: never },
    rollouts: { start: never, stop: never, back: never },
    log: { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} },
  });
  node = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      calls += 1;
      return app.fetch(request);
    },
  });
});
afterEach(() => node.stop(true));

const pass = (words: string, options: FakeOptions = {}) =>
  anteroom(`pass ${words} --admin 127.0.0.1:${node.port} --token ${TOKEN}`, options);
const read = (text: string) => maker.read(text, SCOPE, Date.now());

describe("anteroom pass", () => {
  test("prints a pass, or a link with it", async () => {
    const bare = await pass("shop --key order-1");
    expect([bare.exit, read(bare.answer.trim())]).toEqual([0, expect.objectContaining({ key: "order-1" })]);
    const { answer } = await pass("shop --staff --url https://shop.example/a?b=1");
    const link = new URL(answer.trim());
    expect([link.pathname, link.searchParams.get("b")]).toEqual(["/a", "1"]);
    expect(read(link.searchParams.get("anteroom_pass") ?? "")).toMatchObject({ isStaff: true });
    const json = JSON.parse((await pass("shop --key a --expires 2d --json")).answer);
    expect(Date.parse(json.expires) - Date.now()).toBeGreaterThan(1.9 * 86_400_000);
  });

  test("makes one for each key in a file, whatever ends its lines", async () => {
    const files = { "orders.txt": "\ufeff1\r\nJane, Doe\r\nüx\r\n" };
    const { exit, answer, talk } = await pass("shop --keys orders.txt --expires 2d", { files });
    const rows = answer
      .trim()
      .split("\n")
      .map((row) => row.split("\t"));
    expect([exit, talk, rows.map(([key]) => key)]).toEqual([
      0,
      "Made passes for room shop: 3.\n",
      ["1", "Jane, Doe", "üx"],
    ]);
    expect(rows.map(([, text = ""]) => read(text))).toMatchObject([{ key: "1" }, { key: "Jane, Doe" }, { key: "üx" }]);
  });

  test("asks the node once for a thousand keys", async () => {
    const keys = Array.from({ length: 2_500 }, (_, at) => at).join("\n");
    const { answer } = await pass("shop --keys -", { files: { "-": keys } });
    expect([answer.trim().split("\n").length, calls]).toEqual([2_500, 3]);
  });

  test("reports all bad lines of a file before it makes a pass", async () => {
    const files = { "bad.txt": `a\n\n${"k".repeat(1_000)}\n` };
    const { exit, answer, talk } = await pass("shop --keys bad.txt", { files });
    expect([exit, answer, calls]).toEqual([2, "", 0]);
    expect(talk).toContain("bad.txt: line 2");
    expect(talk).toContain("is empty");
    expect(talk).toContain("bad.txt: line 3.key");
  });

  test.each([
    ["shop --keys gone.txt", "gone.txt: does not exist"],
    ["shop --keys good.txt --key a", '--key = "a": comes with --keys'],
    ["shop --url ftp://x/", '--url = "ftp://x/": is not an address'],
    ["shop --expires never", "is neither a span nor a time"],
  ])("refuses %s", async (words, text) => {
    const { exit, talk } = await pass(words, { files: { "good.txt": "a\n" } });
    expect([exit, talk]).toEqual([2, expect.stringContaining(text)]);
  });

  test("gives lanes that the room has, and no others", async () => {
    expect((await pass("shop --lane 1")).talk).toContain("lane = 1: is a lane without a share in this room");
    expect((await pass("shop --lane 10")).talk).toContain("is not a lane");
    world.rooms.update("shop", { lanes: { 1: 20 } });
    expect(read((await pass("shop --lane 1")).answer.trim())).toMatchObject({ lane: 1 });
  });

  test("names the rooms there are", async () => {
    expect((await pass("shpo")).talk).toContain("shop");
  });
});
