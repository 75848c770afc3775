import { beforeEach, describe, expect, test } from "vitest";
import { adminClient } from "../../../cmd/admin-client.ts";
import { PassMaker } from "../../../node/cookie/pass.ts";
import { pacedBody } from "../../../node/operator/calls/json-lines.ts";
import { GateWorld } from "../../node/gate/gate-world.ts";
import { MESH } from "../../node/peer/lone-peer.ts";
import { startNode, startStranger, TOKEN } from "../admin-node.ts";
import { type FakeOptions, fakeIo } from "../fake-io.ts";

const maker = new PassMaker(MESH);
const SCOPE = { room: "shop", generation: 1 };

let node: ReturnType<typeof startNode>;
let world: GateWorld;
beforeEach(() => {
  world = new GateWorld();
  node = startNode(world);
});

const pass = (words: string, options: FakeOptions = {}) => node.run(`pass ${words}`, options);
const read = (text: string) => maker.read(text, SCOPE, world.nowMs);
/** The passes in the last column of a CSV file. */
const passesIn = (csv: string) =>
  csv
    .trim()
    .split("\n")
    .slice(1)
    .map((row) => read(row.split(",").at(-1) ?? ""));

describe("anteroom pass", () => {
  test("prints a pass, or a link with it", async () => {
    const bare = await pass("shop --key order-1");
    expect([bare.exit, read(bare.answer.trim())]).toEqual([0, expect.objectContaining({ key: "order-1" })]);
    const { answer } = await pass("shop --staff --url https://shop.example/a?b=1");
    const link = new URL(answer.trim());
    expect([link.pathname, link.searchParams.get("b")]).toEqual(["/a", "1"]);
    expect(read(link.searchParams.get("anteroom_pass") ?? "")).toMatchObject({ isStaff: true });
    const json = JSON.parse((await pass("shop --key a --expires 2d --json")).answer);
    expect(Date.parse(json.expires) - world.nowMs).toBeGreaterThan(1.9 * 86_400_000);
  });

  test("makes one for each row of a CSV file, and copies the other columns", async () => {
    const csv = '\ufeffname,key,expires\n"Doe, Jane",1,12h\n"a ""b""",2,\nüx,3,\n';
    const { exit, answer, talk } = await pass("shop --csv guests.csv --expires 2d", { files: { "guests.csv": csv } });
    const [head, ...rows] = answer.trim().split("\n");
    expect([exit, head, talk]).toEqual([0, "name,key,expires,pass", "3 passes made for room shop.\n"]);
    expect(rows.map((row) => row.replace(/,[^,]*$/, ""))).toEqual(['"Doe, Jane",1,12h', '"a ""b""",2,', "üx,3,"]);
    expect(passesIn(answer)).toMatchObject([{ key: "1" }, { key: "2" }, { key: "3" }]);
  });

  test("asks the node once, however many rows there are", async () => {
    const csv = `key\n${Array.from({ length: 2_500 }, (_, row) => row).join("\n")}\n`;
    const { answer } = await pass("shop --csv -", { files: { "-": csv } });
    expect([answer.trim().split("\n").length, node.served.calls]).toEqual([2_501, 1]);
  });

  test("takes no answer without a pass for a pass", async () => {
    const other = startStranger(() => new Response("", { status: 201 }));
    const { exit, talk } = await other.run("pass shop");
    expect([exit, talk]).toEqual([1, expect.stringContaining("has not one pass for each")]);
  });

  test("waits for the passes of a list as long as for any answer", async () => {
    const silent = startStranger(() => new Promise<Response>(() => undefined));
    const flags = new Map(Object.entries({ admin: [silent.address], token: [TOKEN] }));
    const { io } = fakeIo();
    const client = adminClient({ command: "pass", flags, positionals: [], problems: [], io }, { answerMaxMs: 20 });
    await expect(client.lines("/", [{}]).next()).rejects.toThrow("did not answer within 0.02 s");
  });

  test("says how many passes were made when the connection is lost", async () => {
    const parts = async function* () {
      yield '{"pass":"a"}\n{"pass":"b"}\n';
      await Bun.sleep(20);
      throw new Error("cut");
    };
    const failing = startStranger(
      ({ signal }) => new Response(pacedBody(parts(), { signal, onFault: () => undefined }), { status: 201 }),
    );
    const { exit, answer, talk } = await failing.run("pass shop --csv -", { files: { "-": "key\na\nb\nc\n" } });
    expect([exit, answer]).toEqual([1, "key,pass\na,a\nb,b\n"]);
    expect(talk).toContain("Cannot read the whole answer");
    expect(talk).toContain("2 passes were made before");
  });

  test("reports the bad rows of a file before it makes a pass", async () => {
    const csv = "key,staff,expires\na,,\nb,maybe,\nc,,yesterday\n";
    const { exit, answer, talk } = await pass("shop --csv bad.csv", { files: { "bad.csv": csv } });
    expect([exit, answer, node.served.calls]).toEqual([2, "", 0]);
    expect(talk).toContain('bad.csv: line 3.staff = "maybe": is not true or false');
    expect(talk).toContain('bad.csv: line 4.expires = "yesterday": is neither a span nor a time');
  });

  test("stops at the first bad row of stdin, and says how many passes were made", async () => {
    const { exit, answer, talk } = await pass("shop --csv -", { files: { "-": "key,lane\na,\nb,\nc,x\nd,\n" } });
    expect([exit, answer.trim().split("\n").length]).toEqual([2, 3]);
    expect(talk).toContain("2 passes were made, and no more");
    expect(talk).toContain('line 4.lane = "x"');
  });

  test.each([
    ["email;key;lane\na@example.com;1;2\n", 'column 1 = "email;key;lane": holds several names'],
    ["Key\n1\n", 'column 1 = "Key": looks like key, and would not be read'],
    ["name, key\nJane,1\n", 'column 2 = " key": looks like key'],
    ["key,key\n1,2\n", 'column 2 = "key": is the name of an earlier column too'],
    ["KEY\n", "looks like key"],
    ["name,key\nJohn,\n", 'line 2.key = "": is empty'],
  ])("makes no pass without a key from a file that was meant to give one: %j", async (csv, text) => {
    for (const file of ["-", "a.csv"]) {
      const { exit, talk } = await pass(`shop --csv ${file}`, { files: { [file]: csv } });
      expect([exit, talk, node.served.calls]).toEqual([2, expect.stringContaining(text), 0]);
    }
  });

  test("makes passes without a key from a file that has no such column, and for staff", async () => {
    const csvs = ["name\nJane\n", "key,staff\n,true\n"];
    for (const csv of csvs) expect((await pass("shop --csv -", { files: { "-": csv } })).exit).toBe(0);
    expect((await pass("shop --csv - --staff", { files: { "-": 'key\n""\n' } })).exit).toBe(0);
  });

  test.each([
    ["shop --csv gone.csv", "gone.csv: does not exist"],
    ["shop --csv torn.csv", "cannot be read as CSV"],
    ["shop --csv good.csv --key a", '--key = "a": comes with --csv'],
    ["shop --url ftp://x/", '--url = "ftp://x/": is not an address'],
    ["shop --expires never", "is neither a span nor a time"],
  ])("refuses %s", async (words, text) => {
    const files = { "torn.csv": 'key,name\na,"b\n', "good.csv": "key\na\n" };
    const { exit, talk } = await pass(words, { files });
    expect([exit, talk]).toEqual([2, expect.stringContaining(text)]);
  });

  test("gives lanes that the room has, and no others", async () => {
    expect((await pass("shop --lane 1")).talk).toContain("lane = 1: is a lane without a share in this room");
    expect((await pass("shop --lane 10")).talk).toContain("is not a lane");
    world.rooms.update("shop", { lanes: { 1: 20 } });
    expect(read((await pass("shop --lane 1")).answer.trim())).toMatchObject({ lane: 1 });
    const { answer } = await pass("shop --csv - --lane 1", { files: { "-": "key,lane\na,\nb,1\n" } });
    expect(passesIn(answer)).toMatchObject([{ lane: 1 }, { lane: 1 }]);
  });

  test("numbers the rows of a wave, starts it, and refuses a second one of its name", async () => {
    const csv = `key\n${Array.from({ length: 1_002 }, (_, row) => row).join("\n")}\n`;
    const words = "shop --csv a.csv --wave 500/50/10m --wave-start 2099-01-31T18:00:00Z";
    const { exit, answer, talk } = await pass(words, { files: { "a.csv": csv } });
    expect([exit, passesIn(answer).map((each) => (typeof each === "object" ? each.wave : each))]).toEqual([
      0,
      Array.from({ length: 1_002 }, (_, index) => ({ name: "wave", number: index + 1 })),
    ]);
    expect(talk).toContain("anteroom pass shop --pause wave");
    const startMs = Date.UTC(2099, 0, 31, 18);
    expect(world.room().declared.waves).toEqual([
      { name: "wave", rate: "500/50/10m", open: 0, startMs, isPaused: false, count: 1_002 },
    ]);
    const again = await pass(words, { files: { "a.csv": csv } });
    expect([again.exit, again.answer, again.talk]).toEqual([
      1,
      "",
      expect.stringContaining("choose another, or end that one first with: anteroom pass shop --end wave"),
    ]);
    expect((await pass(`${words} --wave-name second`, { files: { "a.csv": csv } })).exit).toBe(0);
  });

  test("a wave is paused, resumed and ended by its name", async () => {
    await pass("shop --csv - --wave 500/10m", { files: { "-": "key\na\n" } });
    const wave = (words: string) => pass(`shop ${words}`);
    const paused = await wave("--pause wave");
    expect([paused.exit, paused.talk]).toEqual([0, "Go on with: anteroom pass shop --resume wave\n"]);
    expect(paused.answer).toBe("Wave wave of room shop: no more of its passes begin to be good.\n");
    expect(world.room().declared.waves).toMatchObject([{ isPaused: true, open: 500 }]);
    expect((await wave("--resume wave")).exit).toBe(0);
    expect(world.room().declared.waves).toMatchObject([{ isPaused: false }]);
    expect((await wave("--pause gone")).talk).toContain("its waves are wave");
    expect((await wave("--pause wave --end wave")).exit).toBe(2);
    expect((await wave("--csv - --pause wave")).talk).toContain('--pause = "wave": comes with --csv');
    expect((await wave("--end wave")).exit).toBe(0);
    expect(world.room().declared.waves).toEqual([]);
  });

  test.each([
    ["shop --wave 500/10m", "needs --wave RATE, and --csv FILE"],
    ["shop --csv good.csv --wave-name x", "needs --wave RATE, and --csv FILE"],
    ["shop --csv good.csv --wave 500", "is not SIZE/TIME or SIZE/PERCENT/TIME"],
    ["shop --csv good.csv --wave 500/10m --wave-start noon", "is not a time with its zone"],
  ])("starts no wave by %s", async (words, text) => {
    const { exit, answer, talk } = await pass(words, { files: { "good.csv": "key\na\n" } });
    expect([exit, answer, talk]).toEqual([2, "", expect.stringContaining(text)]);
    expect(world.room().declared.waves).toEqual([]);
  });
});
